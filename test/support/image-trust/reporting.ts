import { Command } from 'commander';
import { addImage, type Sources } from '#infra/cli/image.ts';
import { painter } from '#infra/cli/output.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import { readEnvironment } from '#shared/runtime/config.ts';
import { keySigner, layerBy, payloadOf, signatureManifest } from '../cosign/signing.ts';
import { makeImage } from '../registry/pushed-image.ts';
import { answer } from '../tuf/notary-server.ts';
import { notary, trustWorld } from './trust-world.ts';

export const [both, old, next, none] = ['both', 'old', 'next', 'none'].map(
  (name) => `registry.example/${name}:1`,
) as [string, string, string, string];

/** `both` is signed twice, `old` in the Notary alone, `next` by cosign alone, `none` by nobody. */
export async function signedTwoWays() {
  const made = trustWorld();
  const signer = keySigner();
  const blobs = new Map<string, Uint8Array>();
  for (const image of [both, old, next, none]) {
    const name = image.replace(/:1$/, '');
    const { manifest } = makeImage(image);
    const digest = made.put(image, manifest);
    if (image === both || image === old) await made.sign(name, { '1': digest });
    if (image !== both && image !== next) continue;
    const layer = layerBy(signer, payloadOf({ digest, reference: name }));
    made.put(`${name}:${signatureTag(manifest.digest)}`, signatureManifest([layer]));
    const path = name.replace('registry.example/', 'https://registry.example/v2/');
    blobs.set(`${path}/blobs/${layer.content.digest}`, layer.content.bytes);
  }
  made.instead.rule = ({ url }) => {
    const blob = blobs.get(url);
    return blob && answer(200, {}, blob);
  };
  const settings = settingsFixed({
    imageTrust: {
      notary: { URL: notary },
      cosign: { authorities: [{ name: 'team', keys: [signer.pem] }] },
    },
  } as object);
  return { ...made, settings };
}

type Given = Awaited<ReturnType<typeof signedTwoWays>> & Partial<Pick<Sources, 'signal'>>;

/** The verb, as it is typed. */
export async function report({ outside, settings, signal }: Given, ...argv: readonly string[]) {
  let [out, err, exit] = ['', '', 0];
  const lines: string[] = [];
  const terminal = {
    print: (text: string) => {
      out += text;
    },
    complain: (text: string) => {
      err += text;
    },
    read: async () => `${old} # the first\n\n${next}\n${old}\n`,
    paint: painter(false),
    progress: (line: string) => void lines.push(line),
  };
  const program = new Command().exitOverride().configureOutput({ writeErr: terminal.complain });
  const now = () => new Date('2030-01-01T00:00:00Z');
  const fail = (code = 1) => {
    exit = code;
  };
  addImage(
    program,
    { terminal, environment: readEnvironment({}), fail },
    { settings: async () => settings.current(), outside, now, ...(signal && { signal }) },
  );
  await program.parseAsync(['image', 'report', ...argv], { from: 'user' });
  return { exit, out, err, lines };
}

type Said = {
  readonly image: string;
  readonly namespaces: readonly string[];
  readonly pods: number;
  readonly by: Readonly<Record<string, { readonly kind: string }>>;
};

/** `notary trusted, cosign untrusted, rules trusted`, by image. */
export function rowsIn(out: string) {
  const { images }: { images: readonly Said[] } = JSON.parse(out);
  return images.map(({ image, by, ...rest }) => {
    const kinds = Object.entries(by).map(([column, { kind }]) => `${column} ${kind}`);
    return { image, by: kinds.join(', '), ...rest };
  });
}
