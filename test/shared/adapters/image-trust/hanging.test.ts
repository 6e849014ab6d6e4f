import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { stage } from '#test/support/image-trust/judging.ts';

const gun = 'registry.example/team/app';
const minute = 60_000;

/** Judged ten minutes ago by all replicas; since then the Notary takes a minute for each answer. */
async function hanging(times = { patienceMs: 150, boundMs: 600 }) {
  const opened = revocable(verdictsInMemory().open());
  const made = stage({}, () => opened.store, times);
  const { world, clock } = made;
  const image = `${gun}:1.0@${world.push(`${gun}:1.0`, 'good')}`;
  const sign = (names: readonly string[]) =>
    world.sign(gun, Object.fromEntries(names.map((name) => [name, image.replace(/.*@/, '')])));
  await sign(['1.0']);
  const [replica, another] = [made.replica(), made.replica()];
  await Promise.all([replica.one(image), another.one(image)]);
  clock.advanceMs(10 * minute);
  world.delay.ms = minute;
  return { ...made, image, sign, replica, another, opened };
}

const revoked = { kind: 'untrusted', why: 'not-signed', note: 'taken back' } as const;

/** As whoever holds the claim next keeps it, where a lease ran out. */
function revocable(store: VerdictStore) {
  const kept: Parameters<VerdictStore['keep']>[] = [];
  const keep: VerdictStore['keep'] = async (...given) => {
    kept.push(given);
    return store.keep(...given);
  };
  const revoke = async (freshUntil: Date) => {
    for (const [collection, verdicts, proof] of kept) {
      const judged = verdicts.map((each) => ({ ...each, judgement: revoked, freshUntil }));
      await store.keep(collection, judged, proof);
    }
  };
  const prove = async (freshUntil: Date) => {
    const [[collection, verdicts, proof] = []] = kept;
    if (collection === undefined || verdicts === undefined || proof === undefined) return;
    await store.keep(
      collection,
      verdicts.map((each) => ({ ...each, freshUntil })),
      proof,
    );
  };
  return { store: { ...store, keep }, revoke, prove };
}

async function tookMs(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const waited = { kind: 'trusted', remarks: expect.arrayContaining(['not-asked-again']) };

describe('while a Notary hangs, an image that was verified', () => {
  it('costs one review a wait, and no other one, at no replica', async () => {
    const patienceMs = 2_000;
    const hung = await hanging({ patienceMs, boundMs: 60_000 });
    const { replica, another, image, clock } = hung;
    const first = await tookMs(() => replica.one(image));
    const others: number[] = [];
    for (const each of [replica, another, replica, another]) {
      others.push(await tookMs(() => each.one(image)));
      others.push(await tookMs(() => each.remember(image)));
      // Past what is remembered of the outage.
      clock.advanceMs(2_000);
    }
    expect(first).toBeGreaterThan(patienceMs / 2);
    expect(others.toSorted((one, other) => one - other)[others.length / 2]).toBeLessThan(100);
    expect(Math.max(...others)).toBeLessThan(patienceMs / 2);
  });

  it('is recalled by whoever validates it, wherever that is', async () => {
    const { replica, another, image } = await hanging();
    expect(await another.remember(image)).toMatchObject({ why: 'not-verified' });
    await replica.one(image);
    expect(await replica.remember(image)).toMatchObject(waited);
    expect(await another.remember(image)).toMatchObject(waited);
  });

  it('is asked about behind those who do not wait, and what is found out counts', async () => {
    const { replica, another, image, world, sign, clock } = await hanging();
    await replica.one(image);
    await sign([]);
    world.delay.ms = 0;
    const later = () => {
      clock.advanceMs(1_000);
      return replica.one(image);
    };
    await expect.poll(later, { timeout: 10_000 }).toMatchObject({ why: 'not-signed' });
    expect(await another.one(image)).toMatchObject({ why: 'not-signed' });
  });

  it('is untrusted from the moment on that somebody else was told so', async () => {
    const hung = await hanging({ patienceMs: 150, boundMs: 60_000 });
    const { replica, another, image, opened, clock } = hung;
    await replica.one(image);
    await opened.revoke(new Date(clock.now().getTime() + 60_000));
    clock.advanceMs(10_000);
    // Long enough that it is looked at again by whoever stands in, before anybody asks.
    await sleep(400);
    expect(await replica.one(image)).toMatchObject(revoked);
    expect(await another.remember(image)).toMatchObject(revoked);
  });

  it('is as good as proven from the moment on that somebody else has proven it', async () => {
    const hung = await hanging({ patienceMs: 150, boundMs: 60_000 });
    const { replica, another, image, opened, clock } = hung;
    await replica.one(image);
    clock.advanceMs(10_000);
    await opened.prove(new Date(clock.now().getTime() + 60_000));
    await sleep(400);
    const proven = { kind: 'trusted', remarks: ['first-use'] };
    expect(await replica.one(image)).toMatchObject(proven);
    expect(await another.remember(image)).toMatchObject(proven);
  });

  it('serves no moment longer than what proves it', async () => {
    const { replica, another, image, clock } = await hanging();
    await replica.one(image);
    clock.setTo('2031-01-01T00:00:01Z');
    const brief = { withinMs: 300 };
    for (const each of [replica, another]) {
      expect(await each.one(image, brief)).toMatchObject({ kind: 'unavailable' });
      expect(await each.remember(image)).toMatchObject({ kind: 'unavailable' });
    }
  });
});

describe('once a Notary answers again', () => {
  it('whoever asks after a while waits for it, as if it had never been away', async () => {
    const { replica, image, world, sign, clock } = await hanging({
      // Whatever this machine has to do meanwhile.
      patienceMs: 10_000,
      boundMs: 600,
    });
    await replica.one(image);
    // Nobody waits any more for what is under way.
    expect(await replica.one(image.replace(':1.0', ':2.0'))).toMatchObject({ why: 'too-slow' });
    await sign([]);
    world.delay.ms = 20;
    clock.advanceMs(2 * minute);
    expect(await replica.one(image)).toMatchObject({ kind: 'untrusted' });
  });
});

describe('a database that was away', () => {
  it('is asked again as soon as it is heard of, by whoever has forgotten all because of it', async () => {
    const { world, replica } = stage();
    const image = `${gun}:1.0@${world.push(`${gun}:1.0`, 'good')}`;
    await world.sign(gun, { '1.0': image.replace(/.*@/, '') });
    const database = { isAway: false, heard: [] as (() => void)[] };
    const store = verdictsInMemory().open();
    const find: VerdictStore['find'] = async (...asked) => {
      if (database.isAway) throw new Error('it is away');
      return store.find(...asked);
    };
    const onChange: VerdictStore['onChange'] = (heard) =>
      database.heard.push(() => heard(undefined));
    const one = replica({ ...store, find, onChange });
    await one.one(image);
    database.isAway = true;
    expect(await one.remember(`${gun}:2.0@${image.replace(/.*@/, '')}`)).toMatchObject({
      why: 'not-verified',
    });
    database.isAway = false;
    for (const hear of database.heard) hear();
    expect(await one.remember(image)).toMatchObject({ kind: 'trusted' });
  });
});

describe('a claim that another replica never gives back', () => {
  it('is waited for no longer than a verification may take, and keeps nobody from an answer', async () => {
    const held = (store: VerdictStore) => ({ ...store, claim: async () => false });
    const { replica, world } = stage({}, () => held(verdictsInMemory().open()), { boundMs: 300 });
    const image = `${gun}:1.0@${world.push(`${gun}:1.0`, 'good')}`;
    const one = replica();
    const judged = await Promise.all([one.one(image), one.one(image), one.one(image)]);
    expect(judged).toMatchObject(judged.map(() => ({ kind: 'unavailable', why: 'too-slow' })));
  });

  it('takes nothing from what was verified before', async () => {
    const claims = { isHeld: false };
    const { claim, ...rest } = verdictsInMemory().open();
    const held: VerdictStore = {
      ...rest,
      claim: async (...given) => !claims.isHeld && claim(...given),
    };
    const { replica, world, clock } = stage({}, () => held, { boundMs: 300 });
    const image = `${gun}:1.0@${world.push(`${gun}:1.0`, 'good')}`;
    await world.sign(gun, { '1.0': image.replace(/.*@/, '') });
    const one = replica();
    await one.one(image);
    claims.isHeld = true;
    clock.advanceMs(10 * minute);
    expect(await one.one(image)).toMatchObject(waited);
  });
});
