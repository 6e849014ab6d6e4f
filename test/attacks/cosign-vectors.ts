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
import { notaryOf } from './settle-world.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';
import { type Places, placeIn } from './written-vectors.ts';

const owner = keySigner();
const stranger = keySigner();

/** As `imageTrust.cosign.authorities` has them. */
export const authorities = [
  { name: 'attack-team', keys: [owner.pem], annotations: { env: 'prod' } },
] as const;

/** As `imageTrust.namespaces` has them. */
export const demanding = [
  { name: 'cosign', verifiers: ['cosign'], need: 'either' },
  { name: 'both', verifiers: ['notary', 'cosign'], need: 'all' },
] as const;

type Said = {
  readonly digest: Sha256Digest;
  readonly reference: string;
  readonly annotations: { env: string };
};
type Made = (said: Said) => { readonly layers?: readonly SignedLayer[]; readonly bundle?: object };

const good: Made = (said) => ({ layers: [layerBy(owner, payloadOf(said))] });
const other = makeImage('evil').manifest.digest;

const signatures: readonly (readonly [string, Made])[] = [
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
  ['a bundle by a stranger', (said) => ({ bundle: keyBundle(stranger, statementOf(said)) })],
  [
    'an attestation in place of a signature',
    (said) => ({
      bundle: keyBundle(
        owner,
        statementOf({ ...said, predicate: 'https://slsa.dev/provenance/v1' }),
      ),
    }),
  ],
];

/** Signatures that lie in the registry beside the image, and namespaces that ask for them. */
export function cosignVectors(places: Places): readonly Vector[] {
  const namespace = placeIn(places, 'cosign');
  return [
    ...signatures.map(([name, made], index) => ({
      name: `cosign: ${name}`,
      theme: 'cosign',
      namespaces: [],
      evil: playing(`evil-${index}`, made, namespace),
      twin: playing(`twin-${index}`, good, namespace),
    })),
    ...both(placeIn(places, 'both')),
  ];
}

/** One verifier's word where the namespace wants two. */
function both(namespace: StatedNamespace): readonly Vector[] {
  const twin = (name: string) => playing(name, good, namespace, true);
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
      evil: playing('lone-notary', () => ({}), namespace, true),
      twin: twin('both-2'),
    },
  ];
}

function playing(name: string, made: Made, namespace: StatedNamespace, isInNotary = false): Play {
  return async ({ outside, admit }) => {
    // By its own host, not behind the mirror: whether the origin has more signatures nobody could say.
    const reference = `${outside.host}/cosign/${name}`;
    keepImage(outside, name, made);
    if (isInNotary) await keepInNotary(outside, reference, name);
    return admit({ namespace, object: podOf(`${reference}:1.0`) });
  };
}

function keepImage({ host, registry }: Outside, name: string, made: Made): void {
  const { manifest } = makeImage(`cosign-${name}`);
  const repository = `cosign/${name}`;
  registry.keep(repository, '1.0', `cosign-${name}`);
  const reference = `${host}/${repository}`;
  const { layers, bundle } = made({
    digest: manifest.digest,
    reference,
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

async function keepInNotary({ notaries }: Outside, gun: string, name: string): Promise<void> {
  const notary = await notaryOf({ [gun]: { '1.0': `cosign-${name}` } });
  const platform = notaries.get('platform');
  notaries.set('platform', (asked, file) =>
    asked === gun ? notary(asked, file) : (platform?.(asked, file) ?? 'absent'),
  );
}
