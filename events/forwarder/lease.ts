import type { Term } from '#shared/domain/mirrored.ts';
import type { Memory, World, Writer } from './writer.ts';

export type Kept = AsyncDisposable & { readonly signal: AbortSignal };

/** Renews the term while it is used. It only saves work: what keeps a late writer out is the term in each transaction. */
export function keepTerm(term: Term, { world, memory, signal }: Keeping): Kept {
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const renewing = renew(term, { world, memory }, { over, end: () => ended.abort() });
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

type Keeping = Pick<Writer, 'world' | 'memory' | 'signal'>;
type Ending = { readonly over: AbortSignal; readonly end: () => void };

async function renew(
  term: Term,
  { world, memory }: Omit<Keeping, 'signal'>,
  { over, end }: Ending,
): Promise<void> {
  const { store, pace, pause } = world;
  for (;;) {
    await pause(pace.leaseMs / 3, over);
    if (over.aborted) return;
    // Without an answer nothing is known: the database's clock decides, and the transactions ask it.
    const isOurs = await store.renew(term, pace.leaseMs).catch(() => true);
    if (!isOurs) return end();
    // Not waited for: the next renewal is due whether this is answered or not.
    void hearOfEpoch(store, memory).catch(ignored);
  }
}

/** Two clusters under one name would have each other list for ever: that is left to the checks. */
async function hearOfEpoch(store: World['store'], memory: Memory): Promise<void> {
  const known = await store.identity();
  if (known !== undefined && known.uid === memory.uid) memory.heed(known.epoch);
}

/** The lease ends by itself as well, and the next renewal asks again. */
const ignored = () => undefined;
