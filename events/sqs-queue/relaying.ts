import { backoffMs } from '../schedule.ts';
import type { Relayed } from './relay.ts';
import type { Timing } from './timing.ts';

export type RelayingOptions = Pick<Timing, 'after'> & {
  readonly relay: () => Promise<Relayed>;
  readonly random: () => number;
  /** Told of what SQS did not take. It is tried again. */
  readonly onTrouble: (cause: unknown) => void;
  readonly idleMs?: number;
};

export type Relaying = {
  /** Something was put into the outbox. */
  nudge(): void;
  /** Ends when the run under way has. */
  stop(): Promise<void>;
};

/** Runs again and again; any number of processes may, of which one works at a time. */
export function startRelaying(options: RelayingOptions): Relaying {
  const { after, random, idleMs = 250 } = options;
  let isStopped = false;
  let isNudged = false;
  let running: Promise<void> | undefined;
  let failures = 0;
  let cancel = () => {};

  const pauseMs = (): number => {
    if (failures > 0) return backoffMs(failures - 1, random());
    return isNudged ? 0 : idleMs;
  };
  const turn = (): void => {
    cancel();
    isNudged = false;
    running = run(options).then((isGood) => {
      running = undefined;
      failures = isGood ? 0 : failures + 1;
      if (!isStopped) cancel = after(pauseMs(), turn);
    });
  };
  turn();

  return {
    nudge() {
      // What failed waits for its backoff, however much is sent meanwhile.
      if (running !== undefined) isNudged = true;
      else if (!isStopped && failures === 0) turn();
    },
    async stop() {
      isStopped = true;
      cancel();
      await running;
    },
  };
}

async function run({ relay, onTrouble }: RelayingOptions): Promise<boolean> {
  try {
    const { failed } = await relay();
    for (const { id, why } of failed) onTrouble(new Error(`SQS did not take ${id}: ${why}`));
    return failed.length === 0;
  } catch (cause: unknown) {
    onTrouble(cause);
    return false;
  }
}
