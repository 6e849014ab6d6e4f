import { setImmediate } from 'node:timers';
import { expect, it } from 'vitest';
import { openCosign } from '#shared/adapters/cosign/open-cosign.ts';
import { decodeManifest } from '#shared/domain/registry/manifest.ts';
import type { Registry } from '#shared/domain/registry/registry.ts';
import { authorityOf, now } from '#test/support/cosign/signed-registry.ts';
import { keySigner, layerBy, payloadOf, signatureManifest } from '#test/support/cosign/signing.ts';
import { type Content, makeImage } from '#test/support/registry/pushed-image.ts';
import { as } from '#test/support/registry/registry-world.ts';

const owner = keySigner();
const stranger = keySigner();
const image = makeImage('app').manifest;
const layers = Array.from({ length: 20 }, (_, at) =>
  layerBy(stranger, payloadOf({ digest: image.digest, annotations: { at: `${at}` } })),
);

function foundManifest({ bytes, mediaType, digest }: Content) {
  const read = decodeManifest(bytes, mediaType);
  if (!read.ok) throw new Error(read.about);
  return { kind: 'found', digest, bytes, manifest: read.manifest } as const;
}

/** It answers at once: nothing is waited for that would let others in by itself. */
const registry: Registry = {
  manifest: async ({ digest }) => foundManifest(digest ? image : signatureManifest(layers)),
  referrers: async () => ({ kind: 'found', descriptors: [], by: 'api' }),
  blob: async ({ digest }) => {
    const layer = layers.find(({ content }) => content.digest === digest);
    return { kind: 'found', digest, bytes: layer?.content.bytes ?? Buffer.alloc(0) };
  },
};

it('lets others have their turn between two signatures', async () => {
  const turns = { count: 0, isOver: false };
  const next = () => {
    turns.count += 1;
    if (!turns.isOver) setImmediate(next);
  };
  setImmediate(next);
  const judgement = await openCosign({ registry, readText: async () => '' }).verify({
    image: { registry: 'registry.test', repository: 'team/app', tag: '1.0', digest: image.digest },
    authorities: [authorityOf({ keys: [owner.pem] })],
    ...{ access: as(), now, signal: new AbortController().signal },
  });
  turns.isOver = true;
  expect(judgement).toMatchObject({ why: 'bad-proof' });
  expect(turns.count).toBeGreaterThanOrEqual(layers.length);
});
