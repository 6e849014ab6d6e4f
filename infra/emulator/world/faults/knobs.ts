import type { Ref } from '../ref.ts';
import type { Verb } from './verbs.ts';

/** Whose watches: Gatehouse's own where nothing is said. In a world of `emulate` there are no others. */
export const whose = ['gatehouse', 'everybody'] as const;
export type Whose = (typeof whose)[number];

/**
 * What production does to a function, one knob each. A knob works from the next thing that happens; `table.ts` says what
 * each of them breaks, and where.
 */
export type Knobs = {
  /** The watch of this kind is told `410 Gone`: everything has to be listed anew. */
  gone(kind: string, user?: Whose): Promise<void>;
  /** The API server forgets what was until now, as after etcd was compacted. */
  compact(): Promise<void>;
  /** Watches end in good order, as when an API server drains. */
  dropWatches(kind?: string, user?: Whose): Promise<void>;
  /** Watches fall silent and stay connected: nobody is told. */
  halfOpen(kind?: string, user?: Whose): Promise<void>;
  /** The next write takes so long to arrive, and others overtake it. */
  slow(ms: number, aim?: Omit<FailedRequest, 'code'>): Promise<void>;
  /** The API server refuses, or its answer gets lost. */
  fail(request: FailedRequest): Promise<void>;
  /** Updates and patches are answered by `409 Conflict`: somebody wrote first. */
  conflict(times?: number): Promise<void>;
  /** A message comes twice: again afterwards, or both at once. */
  duplicate(how?: {
    readonly atOnce?: boolean | undefined;
    readonly times?: number | undefined;
  }): Promise<void>;
  /** Objects are worked on in the reverse order, until the world has settled. Each one's own order stays. */
  reorderGroups(): Promise<void>;
  /** The next run of each function begins so much later than its message was taken. */
  coldStart(ms: number): Promise<void>;
  /** The process dies after a handler has ended and before the message is settled. */
  killAfterHandler(times?: number): Promise<void>;
  /** The object is deleted and made again at once: the same name, another uid. */
  recreate(ref: Ref): Promise<void>;
  /** The mirror hears of this kind (of each, where none is named) some seconds late: another kind's news come first. */
  staleMirror(kind?: string, forMs?: number): Promise<void>;
  /** The functions' clock is ahead by so much (behind, where it is negative). */
  skewClock(ms?: number): Promise<void>;
  /** Every process is killed and started anew; what they kept in memory is lost. */
  restartAll(): Promise<void>;
};

export type FailedRequest = {
  /** Any request that changes something, where it is left out. */
  readonly verb?: Verb | undefined;
  /** `Pod`, `pods`, `deployments.apps`; any where it is left out. */
  readonly kind?: string | undefined;
  /** The HTTP status. `lost`: the server does it, and the answer never arrives. */
  readonly code: number | 'lost';
  /** How often; once where it is left out. */
  readonly times?: number | undefined;
  /** So many requests that fit are let through first. */
  readonly after?: number | undefined;
  /** Of a watch: any other request is a function's. */
  readonly user?: Whose | undefined;
};
