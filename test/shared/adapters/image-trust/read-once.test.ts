import { afterEach, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { imageTrust } from '#shared/runtime/image-trust.ts';
import { keySigner, layerBy, payloadOf, signatureManifest } from '#test/support/cosign/signing.ts';
import { rules } from '#test/support/image-trust/judging.ts';
import { memoryRegistry } from '#test/support/registry/memory-registry.ts';
import { openWorld } from '#test/support/registry/outside-world.ts';
import { makeImage, makeIndex } from '#test/support/registry/pushed-image.ts';
import { publish } from '#test/support/tuf/publish.ts';
import { plan, rootSigner } from '#test/support/tuf/scene.ts';

const world = openWorld();
afterEach(() => world.close());

const signer = keySigner();
const { manifest, config } = makeImage('app');
const list = makeIndex(manifest);

/** A registry and a Notary on loopback: the list is signed by cosign, the image by its configuration. */
async function open() {
  const held = memoryRegistry();
  held.keep('team/app', list, '1.0');
  held.keep('team/app', manifest, '2.0');
  held.keepBlob('team/app', config);
  const registry = await world.open('registry.test', held.script);
  const gun = `${registry.host}/team/app`;
  const layer = layerBy(signer, payloadOf({ digest: list.digest, reference: gun }));
  held.keepBlob('team/app', layer.content);
  held.keep('team/app', signatureManifest([layer]), signatureTag(list.digest));
  const root = { signers: [await rootSigner(gun)] };
  const files = publish({ ...plan, root, signed: { '2.0': config.digest } });
  const notary = await world.open('notary.test', (request, response) => {
    const file = files.get((request.url ?? '').replace(`/v2/${gun}/_trust/tuf/`, ''));
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  });
  const [first] = rules.verifiers;
  const verifiers = {
    cosign: { kind: 'cosign', authorities: [] },
    notary: { ...first, url: `http://${notary.host}` },
  } as const;
  const clock = clockAt('2030-01-01T00:00:00Z');
  const cosign = { authorities: [{ name: 'team', keys: [signer.pem] }] };
  const { judge } = imageTrust({
    settings: settingsFixed({ imageTrust: { cosign } } as object),
    ...{ clock, cluster: clusterInMemory(), store: verdictsInMemory({ clock }).open() },
    bootstrapDocument: { current: async () => undefined },
    outside: world.outside(),
  });
  const ask = async (name: string, by: keyof typeof verifiers) => {
    const { signal } = new AbortController();
    const asked: TrustRules = { ...rules, verifiers: [verifiers[by]] };
    const [found] = await judge([`${gun}${name}`], { rules: asked, isDryRun: false, signal });
    return found?.judgement;
  };
  const reads = (of: string) =>
    registry.heard.filter(({ path }) => path.endsWith(`/manifests/${of}`)).length;
  return { ask, reads };
}

it.each([
  ['by tag', ':1.0'],
  ['by digest', `@${list.digest}`],
])(
  'cosign does not ask for the image again that was just read %s, and knows its images',
  async (_, name) => {
    const { ask, reads } = await open();
    const trusted = { kind: 'trusted', digest: list.digest, children: [manifest.digest] };
    expect(await ask(name, 'cosign')).toMatchObject(trusted);
    expect(reads('1.0') + reads(list.digest)).toBe(1);
  },
);

it.each([
  ['by tag', ':2.0'],
  ['by tag and digest', `:2.0@${manifest.digest}`],
])('nor does who looks at its configuration, %s', async (_, name) => {
  const { ask, reads } = await open();
  const remarks = expect.arrayContaining(['config-digest']);
  expect(await ask(name, 'notary')).toMatchObject({ kind: 'trusted', remarks });
  expect(reads('2.0') + reads(manifest.digest)).toBe(1);
});
