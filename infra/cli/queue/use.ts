import type { Queueing } from '#shared/runtime/worker/queueing.ts';

/** What waits now, and what waits for its time. */
export type Opened = Pick<Queueing, 'queue' | 'schedule'> & {
  readonly of: Owner;
};

/** One database may hold those of a fleet; on SQS the names of the queues say whose they are. */
export type Owner = { readonly cluster: string } | { readonly prefix: string };

/** Opens them for the length of one verb; tests hand in their own. */
export type UseQueue = <T>(work: (opened: Opened) => Promise<T>) => Promise<T>;
