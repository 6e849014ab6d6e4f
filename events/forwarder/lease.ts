import type { Term } from '#shared/domain/mirrored.ts';
import type { World } from './world.ts';

export type Kept = AsyncDisposable & { readonly signal: AbortSignal };

/** Renews the term while it is used. It only saves work: what keeps a late writer out is the term in each transaction. */
export function keepTerm(term: Term, world: World, signal: AbortSignal): Kept {
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const renewing = renew(term, world, { over, end: () => ended.abort() });
  return {
    signal: over,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await renewing;
      // Whoever stops on purpose lets the next one begin at once.
      if (signal.aborted) await world.store.release(term).catch(ignored);
    },
  };
}

type Ending = { readonly over: AbortSignal; readonly end: () => void };

async function renew(term: Term, world: World, { over, end }: Ending): Promise<void> {
  const { store, pace, pause } = world;
  for (;;) {
    await pause(pace.leaseMs / 3, over);
    if (over.aborted) return;
    // Without an answer nothing is known: the database's clock decides, and the transactions ask it.
    const isOurs = await store.renew(term, pace.leaseMs).catch(() => true);
    if (!isOurs) return end();
  }
}

/** The lease ends by itself as well. */
const ignored = () => {};
