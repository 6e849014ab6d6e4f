import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { type OutsideRequest, unavailable } from '#shared/domain/outside.ts';
import { byCosign, guarded, poor, rich } from '#test/support/image-trust/guarded.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import { makeImage, makeIndex } from '#test/support/registry/pushed-image.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const gun = 'registry.example/team/app';
const minute = 60_000;
const away = { kind: 'unavailable', why: 'registry' };
const unsigned = { kind: 'untrusted', why: 'not-signed' };
const gone = () => unavailable('no-connection', 'nobody');
const registryGone = ({ url }: OutsideRequest) => (url.startsWith(notary) ? undefined : gone());

const failing = ({ url }: OutsideRequest) => (url.startsWith(notary) ? undefined : answer(503));

/** What no replica was ever shown: nobody knows of what its manifest is made. */
const unshown = (store: VerdictStore): VerdictStore => ({
  ...store,
  findFacts: async () => undefined,
});

/** Signed and verified at one replica; the other one was never shown any of it. */
async function verified({ manifest, config } = makeImage('good'), signed?: string) {
  const made = stage();
  const { world, clock } = made;
  const known = verdictsInMemory({ clock });
  const digest = world.put(`${gun}:1.0`, manifest, ...(config === undefined ? [] : [config]));
  await world.sign(gun, { '1.0': signed ?? digest });
  const image = `${gun}:1.0@${digest}`;
  const one = made.replica(known.open());
  expect(await one.one(image)).toMatchObject({ kind: 'trusted' });
  const other = made.replica(unshown(known.open()));
  return { ...made, one, other, digest, image, sign: world.sign };
}

describe('while its registry is away, a digest that another replica has verified', () => {
  it.each([
    ['cannot be reached', registryGone, 0],
    ['fails', failing, 0],
    ['is gone, and the Notary', gone, 0],
    ['says nothing', undefined, 60_000],
  ])('goes on starting, at once and hours later: it %s', async (_, rule, delayMs) => {
    const { world, clock, other, image } = await verified();
    world.instead.rule = rule;
    world.delay.ms = delayMs;
    const asked = { withinMs: 20 };
    expect(await other.one(image, asked)).toMatchObject({ kind: 'trusted', children: [] });
    clock.advanceMs(60 * minute);
    const judged = await other.one(image, asked);
    expect(judged).toMatchObject({ kind: 'trusted', remarks: expect.arrayContaining(['unseen']) });
  });

  it('does so until what proves it expires', async () => {
    const { world, clock, other, image } = await verified();
    world.instead.rule = gone;
    clock.setTo('2030-12-31T23:59:00Z');
    expect(await other.one(image)).toMatchObject({ kind: 'trusted' });
    clock.setTo('2031-01-01T00:00:01Z');
    expect((await other.one(image)).kind).not.toBe('trusted');
  });

  it('vouches for no other digest, tag, repository, child, or Notary', async () => {
    const { manifest } = makeImage('child');
    const list = { ...makeImage('list'), manifest: makeIndex(manifest) };
    const { world, other, digest } = await verified(list);
    world.instead.rule = registryGone;
    const others: readonly (readonly [string, object])[] = [
      [`${gun}@${digest}`, away],
      [`${gun}:2.0@${digest}`, unsigned],
      [`${gun}:1.0@${manifest.digest}`, away],
      [`${gun}:1.0@${makeImage('evil').manifest.digest}`, away],
      [`registry.example/b/evil:1.0@${digest}`, unsigned],
      [`${gun}:1.0`, away],
    ];
    for (const [each, judged] of others) expect(await other.one(each)).toMatchObject(judged);
    const own = { ...rules, owner: { namespace: 'team-a' } };
    expect(await other.one(`${gun}:1.0@${digest}`, { rules: own })).toMatchObject(away);
    const cosign = { ...rules, verifiers: [...rules.verifiers, ...byCosign.verifiers] } as const;
    const all = { ...cosign, need: 'all' } as never;
    expect(await other.one(`${gun}:1.0@${digest}`, { rules: all })).toMatchObject(unsigned);
    expect(await other.one(`${gun}:1.0@${digest}`)).toMatchObject({ kind: 'trusted' });
  });

  it('by its configuration stays so when the Notary says it anew', async () => {
    const old = makeImage('old');
    const { world, clock, one, other, image } = await verified(old, old.config.digest);
    world.instead.rule = registryGone;
    clock.advanceMs(60 * minute);
    const before = world.timestamps();
    expect(await other.one(image)).toMatchObject({ kind: 'trusted' });
    expect(world.timestamps()).toBe(before + 1);
    clock.advanceMs(60 * minute);
    for (const each of [other, one])
      expect(await each.one(image)).toMatchObject({ kind: 'trusted' });
  });

  it('is trusted no more as soon as the Notary has taken it back, by anybody, though the Notary goes too', async () => {
    const { world, clock, one, other, image } = await verified();
    await world.sign(gun, { '2.0': makeImage('else').manifest.digest });
    world.instead.rule = registryGone;
    clock.advanceMs(6 * minute);
    expect(await other.one(image)).toMatchObject({ kind: 'untrusted', why: 'not-signed' });
    world.instead.rule = gone;
    clock.advanceMs(60 * minute);
    for (const each of [other, one]) expect((await each.one(image)).kind).not.toBe('trusted');
  });

  it('and found unsigned stays so, which is no outage', async () => {
    const { world, one, other } = await verified();
    const evil = `${gun}:1.0@${world.push(`${gun}:evil`, 'evil')}`;
    expect(await one.one(evil)).toMatchObject({ why: 'other-digest' });
    world.instead.rule = registryGone;
    expect(await other.one(evil)).toMatchObject({ kind: 'untrusted', why: 'other-digest' });
  });

  it('is what the last word recalls of it', async () => {
    const { world, clock, other, image } = await verified();
    world.instead.rule = gone;
    clock.advanceMs(60 * minute);
    await other.one(image);
    expect(await other.remember(image)).toMatchObject({
      kind: 'trusted',
      remarks: expect.arrayContaining(['unseen']),
    });
  });
});

it('a digest that nobody has verified is not verified without its registry, though the Notary knows it', async () => {
  const { world, replica } = stage();
  const digest = world.push(`${gun}:1.0`, 'good');
  await world.sign(gun, { '1.0': digest });
  world.instead.rule = registryGone;
  const own = replica();
  for (const _ of ['asked', 'again']) {
    expect(await own.one(`${gun}:1.0@${digest}`)).toMatchObject(away);
  }
  expect(await own.remember(`${gun}:1.0@${digest}`)).toMatchObject({ why: 'not-verified' });
});

describe('what cosign vouched for, where its registry is away', () => {
  const { manifest: child } = makeImage('child');
  it.each([
    ['an image', makeImage('good').manifest, []],
    ['a list', makeIndex(child), [child.digest]],
  ])(
    'serves as long as its word holds, whoever asks, and is known to be %s',
    async (_, manifest, children) => {
      const { world, clock, replica, names } = await guarded(401, {}, {}, { manifest });
      const image = names['by digest'];
      expect(await replica().one(image, rich)).toMatchObject({ kind: 'trusted' });
      const other = replica(unshown);
      world.instead.rule = gone;
      clock.advanceMs(23 * 60 * minute);
      const known = { kind: 'trusted', remarks: ['not-asked-again'], children };
      for (const who of [poor, rich]) expect(await other.one(image, who)).toMatchObject(known);
      expect(await other.remember(image, rich)).toMatchObject(known);
      clock.advanceMs(60 * minute);
      expect(await other.one(image, rich)).toMatchObject(away);
    },
  );
});
