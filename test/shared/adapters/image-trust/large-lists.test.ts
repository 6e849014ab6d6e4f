import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verdictsInMemory } from '#infra/emulator/testing/verdicts-in-memory.ts';
import { unavailable } from '#shared/domain/outside.ts';
import { stage } from '#test/support/image-trust/judging.ts';
import { makeImage, makeIndex } from '#test/support/registry/pushed-image.ts';
import { until } from '#test/support/until.ts';

const gun = 'registry.example/team/app';
const [large, small] = [65, 64];

/** A list of so many images at `app:1.0`, and how often what is known of manifests is written for all replicas. */
function pushed(count: number, gone = { isAway: false }) {
  const store = verdictsInMemory();
  const kept: string[] = [];
  const made = stage({}, () => {
    const own = store.open();
    return {
      ...own,
      keepFacts: async (facts) => {
        if (gone.isAway) throw new Error('away');
        kept.push(facts.digest);
        await setImmediate();
        await own.keepFacts(facts);
      },
    };
  });
  const children = Array.from({ length: count }, (_, at) => makeImage(`child-${at}`).manifest);
  const digest = made.world.put(`${gun}:1.0`, makeIndex(...children));
  const registryAway = () => {
    made.world.instead.rule = ({ url }) =>
      url.startsWith('https://registry.example/') ? unavailable('no-connection', '') : undefined;
  };
  return { ...made, kept, digest, children: children.map((each) => each.digest), registryAway };
}

describe('a list of many images', () => {
  it.each([
    ['of many', large, []],
    ['of some', small, [expect.any(String)]],
  ])(
    'that nobody signs is kept for all replicas only where it is no large one: %s',
    async (_, count, rows) => {
      const { world, clock, replica, kept, digest } = pushed(count);
      const { one } = replica();
      expect(await one(`${gun}:1.0`)).toMatchObject({ why: 'not-signed' });
      const read = world.visits.length;
      clock.advanceMs(10 * 60_000);
      await one(`${gun}@${digest}`);
      expect(kept).toEqual(rows);
      const again = world.visits.slice(read).filter(({ url }) => url.includes('/manifests/'));
      expect(again).toEqual([]);
    },
  );

  it('that is signed all replicas know, by its tag and with its images, while its registry is away', async () => {
    const { world, clock, replica, kept, digest, children, registryAway } = pushed(large);
    await world.sign(gun, { '1.0': digest });
    const { one } = replica();
    await Promise.all([one(`${gun}:1.0`), one(`${gun}@${digest}`)]);
    // It is written once, however often it is looked at.
    for (const _ of [1, 2]) {
      clock.advanceMs(10 * 60_000);
      await one(`${gun}@${digest}`);
    }
    expect(kept).toEqual([digest]);
    registryAway();
    clock.advanceMs(10 * 60_000);
    const other = replica();
    expect(await other.one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted', children });
    expect(await other.remember(`${gun}@${digest}`)).toMatchObject({ kind: 'trusted', children });
  });

  it('that could not be kept is kept by whoever looks at it next', async () => {
    const gone = { isAway: true };
    const { world, clock, replica, kept, digest } = pushed(large, gone);
    await world.sign(gun, { '1.0': digest });
    const { one } = replica();
    expect(await one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    gone.isAway = false;
    // For a while nobody tries.
    await until(async () => {
      clock.advanceMs(10 * 60_000);
      await one(`${gun}@${digest}`);
      return kept.length > 0;
    });
    expect(kept).toEqual([digest]);
  });

  it('is kept by no dry run', async () => {
    const { world, replica, kept, digest } = pushed(large);
    await world.sign(gun, { '1.0': digest });
    const { one } = replica();
    expect(await one(`${gun}:1.0`, { isDryRun: true })).toMatchObject({ kind: 'trusted' });
    expect(kept).toEqual([]);
    expect(await one(`${gun}:1.0`)).toMatchObject({ kind: 'trusted' });
    expect(kept).toEqual([digest]);
  });
});
