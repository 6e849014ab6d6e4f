import type { Delivery, Receiving } from '../queue.ts';
import type { Bell } from './bell.ts';
import { type Claimer, claimerOn } from './claimer.ts';
import type { Sql } from './connection.ts';
import type { Sleepers } from './sleepers.ts';

export type Receiver = Claimer & { readonly bell: Bell; readonly sleepers: Sleepers };

/** Without any notice, somebody looks again after so long. */
const safetyMs = 5_000;
/** Something is there, but locked, or a suspect: whoever has it tells when he is done, unless he dies. */
const lockedMs = 250;

export function receiverOn(
  parts: Receiver,
): (receiving: Receiving) => Promise<readonly Delivery[]> {
  const claim = claimerOn(parts);
  return async (receiving) => {
    const over = overSignal(receiving, parts.closing);
    for (let round = 0; ; round += 1) {
      const deliveries = await claimOrSleep(parts, receiving, { claim, over, round });
      if (deliveries !== undefined) return deliveries;
    }
  };
}

type Round = {
  readonly claim: (receiving: Receiving) => Promise<readonly Delivery[]>;
  readonly over: AbortSignal | undefined;
  readonly round: number;
};

/** Nothing: look again. Who sleeps was marked, and listened, before he looked. */
async function claimOrSleep(
  { sql, bell, sleepers }: Receiver,
  receiving: Receiving,
  { claim, over, round }: Round,
): Promise<readonly Delivery[] | undefined> {
  const listening = bell.listen(receiving.functions);
  try {
    const mark = sleepers.current();
    const wasSeen = mark?.isSeen === true;
    const deliveries = await claim(receiving);
    if (deliveries.length >= receiving.max) bell.ring(deliveries.map((each) => each.function));
    if (deliveries.length > 0 || over === undefined || over.aborted) return deliveries;

    const hasSlept = await sleepers.sleep(mark, () =>
      listening.wait(patienceMs({ sql, sleepers }, receiving.functions, { round, wasSeen }), over),
    );
    if (!hasSlept) await sleepers.mark();
    return undefined;
  } finally {
    listening.end();
  }
}

/** `undefined`: there is no waiting at all. */
function overSignal({ waitMs, signal }: Receiving, closing: AbortSignal): AbortSignal | undefined {
  if (waitMs <= 0) return undefined;
  const ends = [AbortSignal.timeout(waitMs), closing];
  return AbortSignal.any(signal === undefined ? ends : [...ends, signal]);
}

async function patienceMs(
  { sql, sleepers }: Pick<Receiver, 'sql' | 'sleepers'>,
  functions: readonly string[],
  looked: Looked,
): Promise<number> {
  const [nextMs, isSeen] = await Promise.all([
    untilVisibleMs(sql, functions),
    looked.wasSeen || sleepers.isSeen(),
  ]);
  const longestMs = untilNextLookMs(looked, isSeen);
  if (nextMs === undefined) return longestMs;
  return Math.min(longestMs, nextMs > 0 ? Math.ceil(nextMs) + 1 : lockedMs);
}

type Looked = { readonly round: number; readonly wasSeen: boolean };

/** A send that did not see the mark may have been committed after the look, and before it was known to be over. */
function untilNextLookMs({ round, wasSeen }: Looked, isSeen: boolean): number {
  if (wasSeen) return safetyMs;
  return isSeen ? 0 : Math.min(5 * 2 ** Math.min(round, 10), safetyMs);
}

async function untilVisibleMs(sql: Sql, functions: readonly string[]): Promise<number | undefined> {
  const [next] = await sql<{ ms: number | null }[]>`
    select (extract(epoch from min(first.visible_at) - clock_timestamp()) * 1000)::float8 as ms
    from unnest(${functions}::text[]) as wanted (function)
    cross join lateral (
      select visible_at from queue_groups
      where function = wanted.function
      order by visible_at
      limit 1
    ) as first`;
  return next?.ms ?? undefined;
}
