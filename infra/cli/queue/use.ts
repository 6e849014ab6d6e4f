import type { Queueing } from '#shared/runtime/worker/queueing.ts';

/** What waits now, and what waits for its time. */
export type Opened = Pick<Queueing, 'queue' | 'schedule'> & {
  /** Whose: one database may hold those of a fleet. */
  readonly cluster: string;
};

/** Opens them for the length of one verb; tests hand in their own. */
export type UseQueue = <T>(work: (opened: Opened) => Promise<T>) => Promise<T>;
