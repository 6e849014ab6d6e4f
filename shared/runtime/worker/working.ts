import type { SetAffected, Wake } from '#events/kinds.ts';
import type { Delivery, Queue } from '#events/queue.ts';
import type { Schedule } from '#events/schedule.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import type { Log } from '../log.ts';
import type { Ran } from '../reconcile.ts';
import type { Members } from './expand.ts';
import type { Turn } from './hands.ts';
import type { Outages } from './outage.ts';
import type { Settler } from './settler.ts';
import type { TellUnsent } from './unsent-members.ts';

/** Runs one message's function, here or elsewhere. It never throws. */
export type RunWake = (
  definition: ReconcileFunction,
  wake: Wake,
  given: {
    readonly id: string;
    /** How often it had failed before. */
    readonly attempt: number;
    readonly stopped: AbortSignal;
  },
) => Promise<Ran>;

/** What the handling of one delivery stands on. */
export type Working = {
  readonly queue: Queue;
  readonly schedule: Pick<Schedule, 'add'>;
  readonly settle: Settler;
  readonly outages: Outages;
  readonly run: RunWake;
  readonly members: Members;
  readonly visibilityMs: number;
  readonly random: () => number;
  readonly log: Log;
  readonly tellUnsent: TellUnsent;
  readonly told: (worked: Worked) => void;
  /** Where several are taken and not all of them may run at once. */
  readonly turn?: Turn;
  /** From here on nothing is waited for: what is not finished is given back. */
  readonly ended: AbortSignal;
};

/** What became of one delivery, for metrics and whoever looks on. */
export type Worked = {
  readonly delivery: Delivery;
  readonly payload: Wake | SetAffected | undefined;
  readonly outcome: Ran['kind'] | 'given-back';
  readonly why?: string;
  readonly ms: number;
};
