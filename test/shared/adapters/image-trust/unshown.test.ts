import { describe, expect, it } from 'vitest';
import { unavailable } from '#shared/domain/outside.ts';
import { guarded, poor, rich } from '#test/support/image-trust/guarded.ts';

const minute = 60_000;
const refused = { kind: 'untrusted', why: 'registry-refused' };
const shown = { kind: 'trusted', remarks: [] };
const waited = { kind: 'trusted', remarks: expect.arrayContaining(['not-asked-again']) };

/** Proven a moment ago, for who is shown it. */
async function proven(times = {}, imageTrust = {}) {
  const made = await guarded(404, times, imageTrust);
  const image = made.names['by digest'];
  const [one, other] = [made.replica(), made.replica()];
  await one.one(image, rich);
  return { ...made, image, one, other };
}

describe('an image that is gone from its registry', () => {
  it.each([
    ['who were shown it', rich],
    ['who never were', poor],
  ])('is trusted for an hour more by those %s, at each replica, and no longer', async (_, who) => {
    const { one, other, image, clock, remove } = await proven();
    remove();
    clock.advanceMs(64 * minute);
    for (const each of [one, other, one]) expect(await each.one(image, who)).toMatchObject(waited);
    clock.advanceMs(2 * minute);
    for (const each of [one, other, one]) expect(await each.one(image, who)).toMatchObject(refused);
    expect(await other.remember(image)).toMatchObject({ why: 'not-verified' });
  });

  it('is trusted until the next look at the pods, where those are looked at less often', async () => {
    const { one, other, image, clock, remove } = await proven(
      {},
      { operator: { podReconcilerRequeueAfter: '6h' } },
    );
    remove();
    clock.advanceMs(6 * 60 * minute + 4 * minute);
    for (const each of [one, other]) expect(await each.one(image, poor)).toMatchObject(waited);
    clock.advanceMs(2 * minute);
    for (const each of [one, other]) expect(await each.one(image, poor)).toMatchObject(refused);
  });

  it('is so too where its registry takes its time to say it', async () => {
    const { one, image, clock, world, remove } = await proven({ patienceMs: 100 });
    remove();
    // While nothing is heard, what was proven is kept as standing in, again and again.
    for (const _ of [1, 2, 3]) {
      world.delay.ms = 400;
      clock.advanceMs(20 * minute);
      expect(await one.one(image, rich)).toMatchObject(waited);
      world.delay.ms = 0;
      await expect.poll(async () => (await one.one(image, poor)).kind).toBe('trusted');
    }
    clock.advanceMs(6 * minute);
    // Where we were slow ourselves, it stands in for some seconds more.
    const later = () => {
      clock.advanceMs(20_000);
      return one.one(image, rich);
    };
    await expect.poll(later, { timeout: 5_000 }).toMatchObject(refused);
  });

  it('is trusted again as soon as it is shown to anybody', async () => {
    const { one, other, image, clock, world, remove } = await proven();
    const rule = world.instead.rule;
    remove();
    clock.advanceMs(70 * minute);
    expect(await one.one(image, rich)).toMatchObject(refused);
    world.instead.rule = rule;
    expect(await one.one(image, rich)).toMatchObject(shown);
    expect(await other.one(image, poor)).toMatchObject(shown);
  });
});

describe('an image whose registry is away', () => {
  const away = { kind: 'unavailable', why: 'registry' };

  it('is trusted as long as what proves it holds, at each replica, and no other one is', async () => {
    const { one, other, image, clock, world } = await proven();
    world.instead.rule = () => unavailable('no-connection', 'nobody');
    for (const hours of [1, 10, 12]) {
      clock.advanceMs(hours * 60 * minute);
      for (const each of [one, other]) expect(await each.one(image, poor)).toMatchObject(waited);
    }
    const another = image.replace(':1.0', ':2.0');
    expect(await one.one(another, rich)).toMatchObject(away);
    clock.advanceMs(60 * minute);
    for (const each of [one, other]) expect(await each.one(image, rich)).toMatchObject(away);
  });

  it('and then gone from it is trusted no more, where that was an hour ago', async () => {
    const { one, other, image, clock, world, remove } = await proven();
    world.instead.rule = () => unavailable('no-connection', 'nobody');
    clock.advanceMs(66 * minute);
    expect(await one.one(image, rich)).toMatchObject(waited);
    remove();
    clock.advanceMs(10_000);
    for (const each of [one, other]) expect(await each.one(image, rich)).toMatchObject(refused);
  });
});

describe('an image that is shown to some alone', () => {
  it('is trusted by the others as long as one of those asks once an hour', async () => {
    const { one, other, image, clock } = await proven();
    for (const _ of [1, 2, 3]) {
      clock.advanceMs(60 * minute);
      expect(await other.one(image, poor)).toMatchObject(waited);
      expect(await one.one(image, rich)).toMatchObject(shown);
    }
  });

  it('is taken from none of those, however long and often others are refused', async () => {
    const { one, other, image, clock } = await proven();
    for (const _ of [1, 2, 3]) {
      clock.advanceMs(70 * minute);
      for (const each of [one, other]) expect(await each.one(image, poor)).toMatchObject(refused);
      expect(await other.one(image, rich)).toMatchObject(shown);
    }
  });
});

it('a pull secret that cannot be read is an outage, for as long as what was proven holds', async () => {
  const { one, image, clock, cluster } = await proven();
  Object.assign(cluster, { find: () => Promise.reject(new Error('busy')) });
  clock.advanceMs(20 * 60 * minute);
  expect(await one.one(image, rich)).toMatchObject(waited);
});
