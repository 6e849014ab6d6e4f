import type { Delivery, Receiving } from '../queue.ts';
import type { Bell } from './bell.ts';
import { type Claimer, claimerOn } from './claimer.ts';
import { beginning, type Floors } from './floors.ts';
import type { Claim } from './shared-claims.ts';
import type { Sleepers } from './sleepers.ts';

export type Receiver = Claimer & {
  readonly bell: Bell;
  readonly floors: Floors;
  readonly sleepers: Sleepers;
};

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
  readonly claim: Claim;
  readonly over: AbortSignal | undefined;
  readonly round: number;
};

/** Nothing: look again. Who sleeps was marked, and listened, before he looked. */
async function claimOrSleep(
  { bell, floors, sleepers }: Receiver,
  receiving: Receiving,
  { claim, over, round }: Round,
): Promise<readonly Delivery[] | undefined> {
  const listening = bell.listen(receiving.functions);
  try {
    const mark = sleepers.current();
    const wasSeen = mark?.isSeen === true;
    // Who does not wait does not look again.
    const from = over === undefined ? beginning : floors.of(receiving.functions);
    const deliveries = await claim(receiving, from);
    if (deliveries.length >= receiving.max) bell.ring(deliveries.map((each) => each.function));
    if (over === undefined) return deliveries;
    if (deliveries.length > 0 && from.size === 0) raise(floors, receiving);
    if (deliveries.length > 0 || over.aborted) return deliveries;

    const looked = { round, wasSeen, isWhole: from.size === 0 };
    const hasSlept = await sleepers.sleep(mark, () =>
      listening.wait(patienceMs({ floors, sleepers }, receiving.functions, looked), over),
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

/** Beside what is done with the deliveries: where it fails, the next look begins at the beginning as well. */
function raise(floors: Floors, { functions }: Receiving): void {
  floors.untilVisibleMs(functions).catch(() => undefined);
}

async function patienceMs(
  { floors, sleepers }: Pick<Receiver, 'floors' | 'sleepers'>,
  functions: readonly string[],
  looked: Pick<Looked, 'round' | 'wasSeen' | 'isWhole'>,
): Promise<number> {
  const [nextMs, isSeen] = await Promise.all([
    floors.untilVisibleMs(functions),
    looked.wasSeen || sleepers.isSeen(),
  ]);
  return untilNextLookMs({ ...looked, isSeen, nextMs, floorsLastMs: floors.lastMs });
}

export type Looked = {
  readonly round: number;
  /** Whoever may not have seen the mark was over, before the look and now. */
  readonly wasSeen: boolean;
  readonly isSeen: boolean;
  /** From the beginning, and not from a floor on. */
  readonly isWhole: boolean;
  readonly floorsLastMs: number;
  /** Until one may be claimed; `undefined`: there is none. */
  readonly nextMs: number | undefined;
};

export function untilNextLookMs({ nextMs, ...looked }: Looked): number {
  const longestMs = longestPatienceMs(looked);
  if (nextMs === undefined) return longestMs;
  return Math.min(longestMs, nextMs > 0 ? Math.ceil(nextMs) + 1 : lockedMs);
}

/** A send that did not see the mark may have been committed after the look, and before it was known to be over. */
function longestPatienceMs(looked: Omit<Looked, 'nextMs'>): number {
  const { round, wasSeen, isSeen, isWhole, floorsLastMs } = looked;
  const longestMs = isWhole ? safetyMs : floorsLastMs;
  if (wasSeen) return longestMs;
  return isSeen ? 0 : Math.min(5 * 2 ** Math.min(round, 10), longestMs);
}
