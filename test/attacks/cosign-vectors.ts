import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { Sha256Digest } from '#shared/domain/registry/digest.ts';
import {
  bundleContent,
  bundleManifest,
  bundleType,
  keyBundle,
  referrersIndex,
} from '#test/support/cosign/bundle.ts';
import {
  keySigner,
  layerBy,
  payloadOf,
  type SignedLayer,
  signatureManifest,
  statementOf,
} from '#test/support/cosign/signing.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import type { Outside } from './outside.ts';
import { podOf } from './pod.ts';
import { signAtPlatform } from './sign-at-platform.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';
import { type Places, placeIn } from './written-vectors.ts';

const owner = keySigner();
const stranger = keySigner();

export const keyedName = 'attack-team';

/** As `imageTrust.cosign.authorities` has it. */
export const keyedAuthority = {
  name: keyedName,
  keys: [owner.pem],
  annotations: { env: 'prod' },
} as const;

export type Said = {
  readonly digest: Sha256Digest;
  readonly reference: string;
  readonly annotations: { env: string };
};
type Proof = { readonly layers?: readonly SignedLayer[]; readonly bundle?: object };
/** What lies beside an image. */
export type Made = (said: Said) => Proof | Promise<Proof>;

export const good: Made = (said) => ({ layers: [layerBy(owner, payloadOf(said))] });
const goodBundle: Made = (said) => ({ bundle: keyBundle(owner, statementOf(said)) });
const other = makeImage('evil').manifest.digest;

const signatures: readonly (readonly [string, Made, Made?])[] = [
  ['no signature', () => ({})],
  ['a signature by a stranger', (said) => ({ layers: [layerBy(stranger, payloadOf(said))] })],
  [
    'a signature of another digest',
    (said) => ({ layers: [layerBy(owner, payloadOf({ ...said, digest: other }))] }),
  ],
  [
    'a signature under the name of another repository',
    (said) => ({
      layers: [layerBy(owner, payloadOf({ ...said, reference: 'registry.example/team/app' }))],
    }),
  ],
  [
    'a signature of another tag',
    (said) => ({
      layers: [layerBy(owner, payloadOf({ ...said, reference: `${said.reference}:2.0` }))],
    }),
  ],
  [
    'a signature for another purpose',
    (said) => ({ layers: [layerBy(owner, payloadOf({ ...said, annotations: { env: 'test' } }))] }),
  ],
  [
    'a signature of a letter',
    (said) => ({ layers: [layerBy(owner, payloadOf({ ...said, type: 'a letter' }))] }),
  ],
  [
    'a signature whose payload is another',
    (said) => {
      const [layer] = [layerBy(owner, payloadOf({ ...said, digest: other }))];
      const instead = layerBy(owner, payloadOf(said));
      return { layers: [{ content: instead.content, annotations: layer.annotations }] };
    },
  ],
  [
    'a bundle by a stranger',
    (said) => ({ bundle: keyBundle(stranger, statementOf(said)) }),
    goodBundle,
  ],
  [
    'a bundle of another digest',
    (said) => ({ bundle: keyBundle(owner, statementOf({ ...said, digest: other })) }),
    goodBundle,
  ],
  [
    'a bundle under the name of another repository',
    (said) => ({
      bundle: keyBundle(owner, statementOf({ ...said, reference: 'registry.example/team/app' })),
    }),
    goodBundle,
  ],
  [
    'a bundle for another purpose',
    (said) => ({
      bundle: keyBundle(owner, statementOf({ ...said, annotations: { env: 'test' } })),
    }),
    goodBundle,
  ],
  [
    'an attestation in place of a signature',
    (said) => ({
      bundle: keyBundle(
        owner,
        statementOf({ ...said, predicate: 'https://slsa.dev/provenance/v1' }),
      ),
    }),
    goodBundle,
  ],
];

/** Signatures that lie in the registry beside the image, and namespaces that ask for them. */
export function cosignVectors(places: Places): readonly Vector[] {
  const namespace = placeIn(places, 'cosign');
  return [
    ...signatures.map(([name, made, honest = good], index) => ({
      name: `cosign: ${name}`,
      theme: 'cosign',
      namespaces: [],
      evil: playing(`evil-${index}`, made, namespace),
      twin: playing(`twin-${index}`, honest, namespace),
    })),
    ...both(placeIn(places, 'both')),
  ];
}

/** One verifier's word where the namespace wants two. */
function both(namespace: StatedNamespace): readonly Vector[] {
  const twin = (name: string) => playing(name, good, namespace, { isInNotary: true });
  const rest = { theme: 'cosign', namespaces: [] } as const;
  return [
    {
      ...rest,
      name: 'only cosign vouches where both have to',
      evil: playing('lone-cosign', good, namespace),
      twin: twin('both-1'),
    },
    {
      ...rest,
      name: 'only the Notary vouches where both have to',
      evil: playing('lone-notary', () => ({}), namespace, { isInNotary: true }),
      twin: twin('both-2'),
    },
  ];
}

type Where = {
  readonly isInNotary?: boolean;
  /** As the pod spells it; its own, not behind the mirror: whether the origin has more signatures nobody could say. */
  readonly host?: string;
  readonly path?: string;
};

export function playing(
  name: string,
  made: Made,
  namespace: StatedNamespace,
  { isInNotary = false, host, path = 'cosign' }: Where = {},
): Play {
  return async ({ outside, admit }) => {
    const repository = `${path}/${name.replaceAll(' ', '-')}`;
    const gun = `${host ?? outside.host}/${repository}`;
    await keepImage(outside, { repository, gun, made });
    if (isInNotary) await signAtPlatform(outside, { [gun]: { '1.0': repository } });
    return admit({ namespace, object: podOf(`${gun}:1.0`) });
  };
}

type Keeping = { readonly repository: string; readonly gun: string; readonly made: Made };

async function keepImage({ registry }: Outside, { repository, gun, made }: Keeping): Promise<void> {
  const { manifest } = makeImage(repository);
  registry.keep(repository, '1.0', repository);
  const { layers, bundle } = await made({
    digest: manifest.digest,
    reference: gun,
    annotations: { env: 'prod' },
  });
  if (layers !== undefined) {
    for (const { content } of layers) registry.memory.keepBlob(repository, content);
    registry.memory.keep(repository, signatureManifest(layers), signatureTag(manifest.digest));
  }
  if (bundle !== undefined) {
    const blob = bundleContent(Buffer.from(JSON.stringify(bundle)));
    const content = bundleManifest(blob, manifest);
    registry.memory.keepBlob(repository, blob);
    registry.memory.keep(repository, content);
    const index = referrersIndex([{ content, artifactType: bundleType }]);
    registry.memory.keep(repository, index, manifest.digest.replace(':', '-'));
  }
}
