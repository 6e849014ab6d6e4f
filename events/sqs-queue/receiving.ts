import type { Receiving } from '../queue.ts';
import { queueName } from './addresses.ts';
import { restMs } from './ailing.ts';
import { type Claimed, type Source, sweep } from './claiming.ts';
import { openPolls, type Polls } from './polls.ts';
import { visibilitySeconds } from './sqs.ts';

export type Receiver = {
  receive(receiving: Receiving): Promise<readonly Claimed[]>;
  /** Not received, after all: nobody could open it. It is ours, and comes with the next ones. */
  keep(claimed: Claimed): Promise<void>;
  close(): Promise<void>;
};

export type ReceiverOptions = Source & {
  /** How long a poll may take: what is idle costs a call each time, and closing waits for it. */
  readonly pollSeconds: number;
};

/** More functions than there is room for are asked in turns, which are short. */
const turnSeconds = 1;
/** So much may be missing of a visibility before it is worth a call. */
const tolerableMs = 500;

export function receiverOn(options: ReceiverOptions): Receiver {
  const { sqs, prefix, timing, ailing } = options;
  const giveBack = ({ function: name, handle }: Claimed): Promise<void> =>
    sqs.show(queueName(prefix, name), [handle]);
  const polls = openPolls(options, giveBack);
  let isClosed = false;
  let turn = 0;

  const begin = async (receiving: Receiving): Promise<readonly Claimed[]> => {
    const { functions, max, visibilityMs, waitMs } = receiving;
    const before = await fresh(options, polls.take(functions, max), visibilityMs);
    if (isClosed) return before;
    // Whoever waits hears of the others from their polls.
    const asked = functions.filter(
      (name) => !ailing.isResting(name) && !(waitMs > 0 && polls.isPolling(name)),
    );
    const room = { functions: rotated(asked, turn++), max: max - before.length, visibilityMs };
    return [...before, ...(await sweep(options, room))];
  };

  const wait = async (receiving: Receiving, leftMs: number): Promise<void> => {
    const { functions, signal } = receiving;
    const waitSeconds = Math.ceil(Math.min(leftMs / 1_000, options.pollSeconds));
    const well = functions.filter((name) => !ailing.isResting(name));
    startPolls(polls, { ...receiving, functions: rotated(well, turn++) }, waitSeconds);
    const ms = well.length < functions.length ? Math.min(leftMs, restMs) : leftMs;
    await polls.change({ ms, signal });
  };

  return {
    async receive(asked) {
      const untilMs = timing.now() + asked.waitMs;
      const receiving = { ...asked, functions: [...new Set(asked.functions)] };
      const { functions, max, visibilityMs, signal } = receiving;
      let claimed = await begin(receiving);
      for (;;) {
        ailing.assess(claimed.length > 0 ? [] : functions);
        const leftMs = untilMs - timing.now();
        const isOver = leftMs <= 0 || signal?.aborted || isClosed || functions.length === 0;
        if (claimed.length > 0 || isOver) return claimed;

        await wait(receiving, leftMs);
        claimed = await fresh(options, polls.take(functions, max), visibilityMs);
      }
    },
    async keep(claimed) {
      if (isClosed) await giveBack(claimed);
      else polls.keep(claimed);
    },
    async close() {
      isClosed = true;
      await polls.close();
    },
  };
}

function startPolls(
  polls: Polls,
  { functions, max, visibilityMs }: Receiving,
  waitSeconds: number,
): void {
  const free = functions.filter((name) => !polls.isPolling(name));
  const isInTurns = functions.length > max;
  for (const name of free.slice(0, Math.max(0, max - polls.count()))) {
    const seconds = isInTurns ? Math.min(turnSeconds, waitSeconds) : waitSeconds;
    polls.start({ function: name, visibilityMs, waitSeconds: seconds });
  }
}

/**
 * A poll of somebody who has gone may have brought them, a while ago and for a shorter time: they get the whole of
 * theirs now, and what ran out meanwhile is somebody else's.
 */
async function fresh(
  { sqs, prefix, timing, ailing }: Source,
  claimed: readonly Claimed[],
  visibilityMs: number,
): Promise<readonly Claimed[]> {
  const wholeMs = visibilitySeconds(visibilityMs) * 1_000;
  const ours = await Promise.all(
    claimed.map(async (each) => {
      const leftMs = each.untilMs - timing.now();
      if (leftMs > wholeMs - tolerableMs) return [each];
      const untilMs = timing.now() + wholeMs;
      if (leftMs <= 0) return [];
      try {
        const queue = queueName(prefix, each.function);
        return (await sqs.hide(queue, each.handle, visibilityMs)) ? [{ ...each, untilMs }] : [];
      } catch (cause: unknown) {
        ailing.failed(each.function, cause);
        return [];
      }
    }),
  );
  return ours.flat();
}

function rotated<T>(all: readonly T[], by: number): readonly T[] {
  const at = all.length === 0 ? 0 : by % all.length;
  return [...all.slice(at), ...all.slice(0, at)];
}
