import type { Outgoing } from '../queue.ts';

/**
 * What is on its way to SQS, in the database. Rows get there by the caller's transaction; the numbers of one group's
 * rows go up in the order of commits.
 */
export type Outbox = {
  /** In a transaction of its own. */
  add(messages: readonly Outgoing[]): Promise<void>;
  /** One relay at a time; `undefined`: somebody else is at it. */
  alone<T>(work: (unsent: Unsent) => Promise<T>): Promise<T | undefined>;
  unsent(functionName: string): Promise<{ readonly count: number; readonly oldestSeconds: number }>;
  /** Drops what is not sent yet. How many there were. */
  purge(functionName: string): Promise<number>;
  readonly bodies: Bodies;
};

export type Row = Outgoing & {
  /** Never used again, by no other database either: SQS knows duplicates by it. */
  readonly id: string;
  readonly sentAtMs: number;
};

export type Unsent = {
  /** Of each group the first one, whatever its number: a smaller one may be committed later than a larger one. */
  take(taking: Taking): Promise<readonly Row[]>;
  /** SQS has them. Of those in `kept` the body stays, until it is dropped. */
  accepted(ids: {
    readonly gone: readonly string[];
    readonly kept: readonly string[];
  }): Promise<void>;
};

export type Taking = {
  readonly max: number;
  readonly except: readonly Group[];
  /** All of their groups. */
  readonly exceptFunctions?: readonly string[];
};

export type Group = Pick<Outgoing, 'function' | 'group'>;

/** Bodies that are too long for SQS, by the id of their row. */
export type Bodies = {
  find(id: string): Promise<string | undefined>;
  drop(ids: readonly string[]): Promise<void>;
};
