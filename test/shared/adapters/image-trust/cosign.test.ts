import { describe, expect, it } from 'vitest';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { keySigner, layerBy, payloadOf, signatureManifest } from '#test/support/cosign/signing.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const gun = 'registry.example/team/app';
const signer = keySigner();
const cosign = { kind: 'cosign', authorities: [] } as const;
const [notary] = rules.verifiers;
const byCosign: TrustRules = { ...rules, verifiers: [cosign] };
const image = `${gun}:1.0`;

/** `app:1.0` is signed with cosign's key; whether the Notary knows it too is for the test. */
async function open() {
  const authorities = [{ name: 'team', keys: [signer.pem] }];
  const made = stage({ imageTrust: { cosign: { authorities } } } as object);
  const { manifest } = makeImage('good');
  const { world } = made;
  const digest = world.put(image, manifest);
  const layer = layerBy(signer, payloadOf({ digest, reference: gun }));
  world.put(`${gun}:${signatureTag(manifest.digest)}`, signatureManifest([layer]));
  const blobs = new Map([
    [`https://registry.example/v2/team/app/blobs/${layer.content.digest}`, layer],
  ]);
  world.instead.rule = ({ url }) => {
    const blob = blobs.get(url);
    return blob && answer(200, {}, blob.content.bytes);
  };
  return { ...made, digest, judge: made.replica() };
}

describe('a judge with cosign’s authorities', () => {
  it('trusts what one of their keys signed, asked once for all', async () => {
    const { judge, world, digest } = await open();
    const asked = { rules: byCosign };
    const all = await Promise.all(Array.from({ length: 10 }, () => judge.one(image, asked)));
    for (const judgement of all) {
      expect(judgement).toMatchObject({
        kind: 'trusted',
        digest,
        by: { verifier: 'cosign', server: 'team', name: image },
      });
    }
    expect(world.visits.filter(({ url }) => url.includes('/blobs/'))).toHaveLength(1);
    expect(await judge.remember(`${image}@${digest}`, asked)).toMatchObject({ kind: 'trusted' });
  });

  it.each([
    ['either', 'trusted'],
    ['all', 'untrusted'],
  ] as const)(
    'and a Notary that does not know it, %s of them needed, says %s',
    async (need, kind) => {
      const { judge } = await open();
      const both: TrustRules = { ...rules, verifiers: [notary, cosign], need };
      expect((await judge.one(image, { rules: both })).kind).toBe(kind);
    },
  );

  it('does not take the word of one for the other', async () => {
    const { judge, world, digest } = await open();
    await world.sign(gun, { '2.0': world.put(`${gun}:2.0`, makeImage('other').manifest) });
    await judge.one(image, { rules: byCosign });
    expect(await judge.one(`${image}@${digest}`)).toMatchObject({ kind: 'untrusted' });
    await judge.one(`${gun}:2.0`);
    const other = await judge.one(`${gun}:2.0`, { rules: byCosign });
    expect(other).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
  });
});
