import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { signatureTag } from '#shared/domain/image-trust/cosign/layout.ts';
import type { TrustRules } from '#shared/domain/image-trust/rules.ts';
import { secrets } from '#shared/domain/kind.ts';
import { keySigner, layerBy, payloadOf, signatureManifest } from '#test/support/cosign/signing.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const gun = 'registry.example/team/app';
const minute = 60_000;
const signer = keySigner();
const byCosign: TrustRules = { ...rules, verifiers: [{ kind: 'cosign', authorities: [] }] };
const wanted = basicFor('ann', 'secret');

const refused = { kind: 'untrusted', why: 'registry-refused' };
const trusted = { kind: 'trusted', remarks: [] };
const waited = { kind: 'trusted', remarks: expect.arrayContaining(['not-asked-again']) };

const asking = (secret: string) => ({
  rules: byCosign,
  pod: { namespace: 'team-a', serviceAccount: 'default', pullSecrets: [secret] },
});
const [rich, poor] = [asking('right'), asking('none')];

/** An image that cosign's key signed, in a registry that shows nothing to whoever has no login. */
async function guarded() {
  const authorities = [{ name: 'team', keys: [signer.pem] }];
  const made = stage({ imageTrust: { cosign: { authorities } } } as object);
  const { world, clock, cluster } = made;
  const auths = { 'registry.example': { username: 'ann', password: 'secret' } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
  const metadata = { namespace: 'team-a', name: 'right' };
  await cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  const { manifest } = makeImage('good');
  const digest = world.put(`${gun}:1.0`, manifest);
  const layer = layerBy(signer, payloadOf({ digest, reference: gun }));
  const signatures = `${gun}:${signatureTag(manifest.digest)}`;
  world.put(signatures, signatureManifest([layer]), layer.content);
  world.instead.rule = ({ authorization }) =>
    authorization === wanted ? undefined : answer(401, { 'www-authenticate': 'Basic realm="r"' });
  const known = verdictsInMemory();
  const revoke = () => world.put(signatures, signatureManifest([]));
  return {
    ...{ world, clock, revoke },
    replica: () => made.replica(known.open()),
    names: { 'by tag': `${gun}:1.0`, 'by digest': `${gun}:1.0@${digest}` },
  };
}

describe.each(['by tag', 'by digest'] as const)('a registry that refuses, %s', (how) => {
  it('is not away: the image is not trusted', async () => {
    const { replica, names } = await guarded();
    expect(await replica().one(names[how], poor)).toMatchObject(refused);
  });

  it('refuses nobody else, at the same time or right after', async () => {
    const { replica, names } = await guarded();
    const [one, other] = [replica(), replica()];
    const all = [poor, rich, poor, rich].map((each) => one.one(names[how], each));
    expect(await Promise.all(all)).toMatchObject([refused, trusted, expect.anything(), trusted]);
    const fresh = await guarded();
    expect(await fresh.replica().one(fresh.names[how], poor)).toMatchObject(refused);
    expect(await fresh.replica().one(fresh.names[how], rich)).toMatchObject(trusted);
    expect(await other.one(names[how], rich)).toMatchObject(trusted);
  });

  it('shows it to whoever has come by the right login since', async () => {
    const { replica, names } = await guarded();
    const one = replica();
    await one.one(names[how], poor);
    expect(await one.one(names[how], rich)).toMatchObject(trusted);
  });

  it('leaves standing what others were shown, while that holds', async () => {
    const { replica, names, clock } = await guarded();
    const one = replica();
    await one.one(names[how], rich);
    clock.advanceMs(10 * minute);
    expect(await one.one(names[how], poor)).toMatchObject(waited);
    clock.advanceMs(25 * 60 * minute);
    expect(await one.one(names[how], poor)).toMatchObject(refused);
  });

  it('keeps a revocation from nobody who is shown it, however often others ask', async () => {
    const { replica, names, clock, revoke } = await guarded();
    const [one, other] = [replica(), replica()];
    await one.one(names[how], rich);
    revoke();
    clock.advanceMs(10 * minute);
    for (const each of [one, other, one]) await each.one(names[how], poor);
    expect(await one.one(names[how], rich)).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
    expect(await other.one(names[how], poor)).toMatchObject({ kind: 'untrusted' });
  });
});

describe('one verification under way', () => {
  it('is asked anew by whoever comes with another login than the one that was refused', async () => {
    const { replica, names, world } = await guarded();
    const one = replica();
    // What the image is, all know from now on; who has signed it, nobody.
    await one.one(names['by digest'], { ...rich, rules });
    const before = world.visits.length;
    world.delay.ms = 50;
    const first = one.one(names['by digest'], poor);
    await expect.poll(() => world.visits.length, { interval: 1 }).toBeGreaterThan(before);
    const both = [first, one.one(names['by digest'], rich)];
    expect(await Promise.all(both)).toMatchObject([refused, trusted]);
  });
});

describe('a Notary that refuses', () => {
  async function open() {
    const { world, clock, replica } = stage();
    const image = `${gun}:1.0@${world.push(`${gun}:1.0`, 'good')}`;
    await world.sign(gun, { '1.0': image.replace(/.*@/, '') });
    const close = (status = 401) => {
      world.instead.rule = ({ url }) => (url.includes('/_trust/') ? answer(status) : undefined);
    };
    return { world, clock, close, judge: replica(), image };
  }

  it.each([401, 403, 400, 405, 414, 204])(
    'is not away: what it hides by a %i is not trusted, and is asked about again within seconds',
    async (status) => {
      const { world, clock, close, judge, image } = await open();
      close(status);
      expect(await judge.one(image)).toMatchObject({ kind: 'untrusted', why: 'notary-refused' });
      world.instead.rule = undefined;
      clock.advanceMs(5_000);
      expect(await judge.one(image)).toMatchObject({ kind: 'trusted' });
    },
  );

  it('leaves standing what it told before, while that holds', async () => {
    const { clock, close, judge, image } = await open();
    await judge.one(image);
    close();
    clock.advanceMs(10 * minute);
    expect(await judge.one(image)).toMatchObject(waited);
    clock.setTo('2031-01-01T00:00:01Z');
    expect(await judge.one(image)).toMatchObject({ kind: 'untrusted' });
  });
});
