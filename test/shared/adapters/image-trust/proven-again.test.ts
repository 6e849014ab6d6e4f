import { setImmediate as othersTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import type { Verdict } from '#shared/domain/image-trust/verdict.ts';
import type { Collection, VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { stage } from '#test/support/image-trust/judging.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';

const gun = 'registry.example/team/app';
const minute = 60_000;
const revoked = { kind: 'untrusted', why: 'not-signed', note: 'taken back' } as const;

type Kept = { readonly collection: Collection; readonly root: string; readonly verdict: Verdict };

/** A holder whose lease ran out: before his next step of a kind something else happens. */
function overtakable(shared: VerdictStore) {
  const kept: Kept[] = [];
  const asked = new Set<string | undefined>();
  const next: { step: keyof VerdictStore | undefined; first: () => Promise<void> } = {
    step: undefined,
    first: async () => undefined,
  };
  const wrapped = Object.entries(shared).map(([name, call]) => [
    name,
    async (...given: readonly unknown[]) => {
      if (name === next.step) {
        next.step = undefined;
        await next.first();
      }
      return Reflect.apply(call, shared, given);
    },
  ]);
  const store: VerdictStore = Object.fromEntries(wrapped);
  return {
    store: {
      ...store,
      onChange: shared.onChange,
      onRelease: shared.onRelease,
      find: async (collection: Collection, all: Parameters<VerdictStore['find']>[1]) => {
        const found = await store.find(collection, all);
        for (const { tag } of all) asked.add(tag);
        return found;
      },
      keep: async (...[collection, verdicts, proof]: Parameters<VerdictStore['keep']>) => {
        kept.push(...verdicts.map((verdict) => ({ collection, root: proof.root, verdict })));
        return store.keep(collection, verdicts, proof);
      },
    },
    asked,
    before(step: keyof VerdictStore, first: () => Promise<void>) {
      Object.assign(next, { step, first });
    },
    /** By whoever holds the claim now. */
    async revoke(tag: string, digest: string, freshUntil: Date) {
      const [like] = kept;
      if (like === undefined) throw new Error('nothing is kept yet');
      const { collection, root, verdict } = like;
      const taken = { ...verdict, tag, digest, judgement: revoked };
      const times = { freshUntil, validUntil: freshUntil };
      await shared.keep(collection, [{ ...taken, ...times }], {
        root,
        isChange: false,
        before: [],
      });
    },
    async standing(tag: string, digest: string) {
      const [like] = kept;
      const found = like && (await shared.find(like.collection, [{ tag, digest }]));
      return found?.[0]?.judgement;
    },
  };
}

/** Three images are signed. Of the first two it was known ten minutes ago. */
async function known() {
  const shared = verdictsInMemory().open();
  const holder = overtakable(shared);
  const made = stage({}, () => holder.store);
  const { world, clock } = made;
  const tags = ['1.0', '2.0', '3.0'] as const;
  const digests = tags.map((tag) => world.push(`${gun}:${tag}`, tag));
  const [first = '', second = '', third = ''] = digests;
  await world.sign(gun, { '1.0': first, '2.0': second, '3.0': third });
  const one = made.replica();
  for (const tag of ['1.0', '2.0']) await one.one(`${gun}:${tag}`);
  clock.advanceMs(10 * minute);
  const agoMs = (ms: number) => new Date(clock.now().getTime() - ms);
  return { ...made, ...holder, one, second, third, agoMs };
}

const trusted = { kind: 'trusted' };

describe('what is proven again with another image of its repository', () => {
  it('is trusted again for all', async () => {
    const { one, second, standing } = await known();
    await one.one(`${gun}:1.0`);
    expect(await one.remember(`${gun}:2.0@${second}`)).toMatchObject(trusted);
    expect(await standing('2.0', second)).toMatchObject(trusted);
  });

  it.each([
    ['since it was read what is known', 'keep', -minute],
    ['while it was proven, however long that took', 'list', minute],
  ] as const)('stays taken back where it was %s', async (_, step, agedMs) => {
    const { one, second, before, revoke, standing, agoMs } = await known();
    before(step, () => revoke('2.0', second, agoMs(agedMs)));
    expect(await one.one(`${gun}:1.0`)).toMatchObject(trusted);
    expect(await standing('2.0', second)).toEqual(revoked);
  });
});

describe('who joins a verification that is under way', () => {
  /** The third image is asked for after it was looked up what is known of the first. */
  async function joined(about: Awaited<ReturnType<typeof known>>) {
    const { one, before, asked } = about;
    const reached = Promise.withResolvers<void>();
    const open = Promise.withResolvers<void>();
    before('findAnchor', () => {
      reached.resolve();
      return open.promise;
    });
    const first = one.one(`${gun}:1.0`);
    await reached.promise;
    const told = async (isLate: () => Promise<void>) => {
      const third = one.one(`${gun}:3.0`);
      await expect.poll(() => asked.has('3.0'), { interval: 1 }).toBe(true);
      for (let turn = 0; turn < 10; turn += 1) await othersTurn();
      await isLate();
      open.resolve();
      await first;
      return third;
    };
    return { told };
  }

  it('is told what all are told', async () => {
    const { told } = await joined(await known());
    expect(await told(async () => undefined)).toMatchObject(trusted);
  });

  it('is told what was taken back since, and so are all', async () => {
    const about = await known();
    const { third, revoke, standing, agoMs } = about;
    const { told } = await joined(about);
    expect(await told(() => revoke('3.0', third, agoMs(-minute)))).toEqual(revoked);
    expect(await standing('3.0', third)).toEqual(revoked);
  });

  it('has it proven anew where it was taken back before, which may be since that began', async () => {
    const about = await known();
    const { third, revoke, agoMs, world, standing } = about;
    const { told } = await joined(about);
    await revoke('3.0', third, agoMs(minute));
    const before = world.timestamps();
    expect(await told(async () => undefined)).toMatchObject(trusted);
    expect(world.timestamps() - before).toBe(2);
    expect(await standing('3.0', third)).toMatchObject(trusted);
  });
});

it('does not keep up, by what is asked of others, what is signed now by its configuration', async () => {
  const { world, clock, replica } = stage();
  const { one } = replica();
  const { manifest, config } = makeImage('moved');
  world.put(`${gun}:1.0`, manifest, config);
  const others = Array.from({ length: 4 }, (_, at) => `${at}.9`);
  const tags = Object.fromEntries(others.map((tag) => [tag, world.push(`${gun}:${tag}`, tag)]));
  await world.sign(gun, { ...tags, '1.0': makeImage('else').manifest.digest });
  expect(await one(`${gun}:1.0`)).toMatchObject({ why: 'other-digest' });
  for (const tag of others) {
    clock.advanceMs(minute / 3);
    await world.sign(gun, { ...tags, '1.0': config.digest });
    expect(await one(`${gun}:${tag}`)).toMatchObject({ kind: 'trusted' });
  }
  expect(await one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted', remarks: ['config-digest'] });
});
