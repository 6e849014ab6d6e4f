import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { turnstile } from '#shared/adapters/image-trust/turnstile.ts';

const forever = 1_000_000;

/** Works that end when they are told to, and what has begun in which order. */
function workshop() {
  const begun: number[] = [];
  const ends = new Map<number, PromiseWithResolvers<number>>();
  const work = (at: number) => () => {
    begun.push(at);
    const end = Promise.withResolvers<number>();
    ends.set(at, end);
    return end.promise;
  };
  const finish = (at: number | undefined) => {
    if (at === undefined) return;
    ends.get(at)?.resolve(at);
    ends.delete(at);
  };
  return { begun, work, finish, inside: () => [...ends.keys()], ends };
}

type Arrival = { readonly key: 'a' | 'b'; readonly leaves: number };

/** What has begun, and the most that were inside together, of one kind each. */
async function played(arriving: readonly Arrival[], most: number) {
  const { pass } = turnstile(most);
  const shop = workshop();
  const keyOf = (at: number) => arriving[at]?.key;
  const crowds: number[] = [];
  const settle = async () => {
    await turn();
    for (const key of ['a', 'b']) {
      crowds.push(shop.inside().filter((at) => keyOf(at) === key).length);
    }
  };
  const passing: Promise<number | undefined>[] = [];
  for (const [at, { key, leaves }] of arriving.entries()) {
    passing.push(pass({ line: key, whose: `${at}` }, forever, shop.work(at)));
    await settle();
    // Any of those who are inside, not the one that came first.
    shop.finish(shop.inside()[leaves]);
    await settle();
  }
  for (const _ of arriving) {
    shop.finish(shop.inside()[0]);
    await settle();
  }
  const begun = ['a', 'b'].map((key) => shop.begun.filter((at) => keyOf(at) === key));
  return { told: await Promise.all(passing), begun, mostInside: Math.max(...crowds) };
}

describe('a turnstile', () => {
  it('lets in so many of each kind at a time, all of them in their order, whoever leaves first', async () => {
    const arrival = fc.record({ key: fc.constantFrom('a' as const, 'b'), leaves: fc.nat(5) });
    const arrivals = fc.array(arrival, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 4 }), async (arriving, most) => {
        const { told, begun, mostInside } = await played(arriving, most);
        expect(told).toEqual(arriving.map((_, at) => at));
        expect(mostInside).toBeLessThanOrEqual(most);
        for (const order of begun) expect(order).toEqual(order.toSorted((a, b) => a - b));
      }),
      { numRuns: 50 },
    );
  });

  it('begins nothing for whoever has waited as long as he may, and holds nobody up for him', async () => {
    const { pass } = turnstile(1);
    const shop = workshop();
    const first = pass({ line: 'a', whose: '1' }, forever, shop.work(1));
    const hurried = pass({ line: 'a', whose: '2' }, 5, shop.work(2));
    const patient = pass({ line: 'a', whose: '3' }, forever, shop.work(3));
    expect(await hurried).toBeUndefined();
    shop.finish(1);
    expect(await first).toBe(1);
    await turn();
    shop.finish(3);
    expect(await patient).toBe(3);
    expect(shop.begun).toEqual([1, 3]);
  });

  it('knows who has to wait, from then on until it is over', async () => {
    const { pass, hasWaited } = turnstile(1);
    const shop = workshop();
    const works = { first: {}, second: {} };
    const first = pass({ line: 'a', whose: works.first }, forever, shop.work(1));
    const second = pass({ line: 'a', whose: works.second }, forever, shop.work(2));
    const both = () => [works.first, works.second].map(hasWaited);
    expect(both()).toEqual([false, true]);
    shop.finish(1);
    await first;
    await turn();
    expect([shop.inside(), both()]).toEqual([[2], [false, true]]);
    shop.finish(2);
    await second;
    expect(both()).toEqual([false, false]);
  });

  it('is free again after what fails', async () => {
    const { pass } = turnstile(1);
    const shop = workshop();
    const failing = pass({ line: 'a', whose: '1' }, forever, shop.work(1));
    const next = pass({ line: 'a', whose: '2' }, forever, shop.work(2));
    shop.ends.get(1)?.reject(new Error('broken'));
    await expect(failing).rejects.toThrow('broken');
    await turn();
    shop.finish(2);
    expect(await next).toBe(2);
  });
});
