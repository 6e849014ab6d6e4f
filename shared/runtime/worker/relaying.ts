import type { Relayed } from '#events/sqs-queue/relay.ts';
import type { Log } from '../admission/host.ts';
import type { Outages } from './outage.ts';
import { pause } from './pause.ts';

export type Relaying = {
  readonly relay: () => Promise<Relayed>;
  readonly outages: Outages;
  readonly log: Log;
  readonly lookAgainMs?: number;
};

/** What was refused is in the way of its group alone, and is tried again after this. */
const refusedPauseMs = 1_000;

/** Hands on to SQS what transactions left in the outbox. Of several processes one does, and the others look on. */
export function startRelaying({ relay, outages, log, lookAgainMs = 100 }: Relaying) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const turn = async (): Promise<void> => {
    while (!signal.aborted) {
      const { failed = [] } = (await outages.through(relay, signal)) ?? {};
      const [first] = failed;
      if (first !== undefined) {
        log.warn({ refused: failed.length, why: first.why }, 'SQS refuses messages; they wait');
      }
      await pause(first === undefined ? lookAgainMs : refusedPauseMs, signal);
    }
  };
  const turning = turn();
  return {
    async stop(): Promise<void> {
      stopped.abort();
      await turning;
    },
  };
}
