import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
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

type Known = { readonly authorities: readonly object[] };

/** `app:1.0` is signed with cosign's key; whether the Notary knows it too is for the test. */
async function open({ authorities = [{ name: 'team', keys: [signer.pem] }] }: Partial<Known> = {}) {
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

  it('says of an image the same however its host is written, so that a stranger takes it from nobody', async () => {
    const authorities = [{ name: 'team', keys: [signer.pem], prefixes: ['registry.example/team'] }];
    const { world, replica, digest, clock } = await open({ authorities });
    const own = world.instead.rule;
    // One server, whatever the letters of its name.
    world.instead.rule = (request) => own?.({ ...request, url: request.url.toLowerCase() });
    const known = verdictsInMemory({ clock });
    const [one, other] = [replica(known.open()), replica(known.open())];
    const asked = { rules: byCosign };
    expect(await one.one(`${image}@${digest}`, asked)).toMatchObject({ kind: 'trusted' });
    clock.advanceMs(301_000);
    const odd = `REGISTRY.example/team/app:1.0@${digest}`;
    expect(await other.one(odd, asked)).toMatchObject({ kind: 'trusted' });
    for (const each of [one, other]) {
      expect(await each.one(`${image}@${digest}`, asked)).toMatchObject({ kind: 'trusted' });
    }
  });

  it('is asked about the images of the registries that a rule names, and about no others', async () => {
    const { judge, world } = await open();
    await world.sign('registry.example/else', {
      '1': world.push('registry.example/else:1', 'else'),
    });
    const registries = [{ prefix: 'registry.example/team', ...byCosign }];
    const asked = { rules: { ...rules, registries } };
    expect(await judge.one(image, asked)).toMatchObject({ by: { verifier: 'cosign' } });
    expect(await judge.one('registry.example/else:1', asked)).toMatchObject({
      by: { verifier: 'notary' },
    });
  });

  it('is recalled by the rule too, on another replica', async () => {
    const { replica } = await open();
    const known = verdictsInMemory();
    const registries = [{ prefix: 'registry.example/team', ...byCosign }];
    const asked = { rules: { ...rules, registries } };
    expect(await replica(known.open()).one(image, asked)).toMatchObject({ kind: 'trusted' });
    const other = replica(known.open());
    expect(await other.remember(image, asked)).toMatchObject({ by: { verifier: 'cosign' } });
    expect(await other.remember(image)).toMatchObject({ why: 'not-verified' });
  });

  it('is asked by the origin of a rewritten image, not by the mirror that it is pulled from', async () => {
    const document = {
      availableFeatures: ['rt-cfg.kyma-project.io/alter-img-registry'],
      overrides: { 'origin.example': 'registry.example/mirror' },
    };
    const capabilities = ['image-trust', 'pod-bootstrap'];
    const { world, replica } = stage({ capabilities, podBootstrap: { document } } as object);
    const mirrored = 'registry.example/mirror/team/app:1.0';
    await world.sign('origin.example/team/app', { '1.0': world.push(mirrored, 'good') });
    const judge = replica();
    const under = (prefix: string) => ({
      rules: { ...rules, registries: [{ prefix, ...byCosign }] },
    });
    expect(await judge.one(mirrored, under('registry.example'))).toMatchObject({
      by: { verifier: 'notary' },
    });
    expect(await judge.one(mirrored, under('origin.example'))).toMatchObject({
      kind: 'untrusted',
      why: 'not-signed',
    });
  });

  it('forgets what was said under a rule that is gone, or wants another authority', async () => {
    const { judge } = await open();
    const under = (authorities: readonly string[]): TrustRules => ({
      ...rules,
      registries: [{ prefix: gun, verifiers: [{ kind: 'cosign', authorities }], need: 'either' }],
    });
    expect(await judge.one(image, { rules: under(['team']) })).toMatchObject({ kind: 'trusted' });
    expect(await judge.remember(image, { rules: under(['other']) })).toMatchObject({
      why: 'not-verified',
    });
    expect(await judge.one(image, { rules: under(['other']) })).toMatchObject({
      kind: 'untrusted',
    });
    expect(await judge.one(image)).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
  });

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
