import type { Relayed } from '#events/sqs-queue/relay.ts';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import type { Vigil } from '../vigil.ts';
import type { Outages } from './outage.ts';

export type Relaying = {
  readonly relay: (onStep: () => void) => Promise<Relayed>;
  readonly vigil: Pick<Vigil, 'sign' | 'leave'>;
  readonly outages: Outages;
  readonly log: Log;
  readonly lookAgainMs?: number;
  /** What was refused is in the way of its group alone, and is tried again after this. */
  readonly refusedPauseMs?: number;
};

/** Hands on to SQS what transactions left in the outbox. Of several processes one does, and the others look on. */
export function startRelaying(relaying: Relaying) {
  const { relay, vigil, outages, log, lookAgainMs = 100, refusedPauseMs = 1_000 } = relaying;
  const stopped = new AbortController();
  const { signal } = stopped;
  const step = () => vigil.sign('relay');
  const handOn = () => {
    step();
    return relay(step);
  };
  const turn = async (): Promise<void> => {
    let said: readonly string[] = [];
    while (!signal.aborted) {
      const { failed = [] } = (await outages.through(handOn, signal)) ?? {};
      const reasons = [...new Set(failed.map(({ why }) => why))];
      for (const why of reasons.filter((each) => !said.includes(each))) {
        const refused = failed.filter((each) => each.why === why).length;
        log.warn({ refused, why }, 'SQS refuses messages; they wait');
      }
      said = reasons;
      await pause(failed.length === 0 ? lookAgainMs : refusedPauseMs, signal);
    }
  };
  const turning = turn();
  return {
    async stop(): Promise<void> {
      stopped.abort();
      await turning;
      vigil.leave('relay');
    },
  };
}
