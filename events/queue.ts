/** What is sent: bytes and where they belong. The queue knows no functions and reads no body. */
export type Outgoing = {
  /** Whose work it is; on SQS, which queue. */
  readonly function: string;
  /** Messages of one group run one after another, those of different groups side by side. */
  readonly group: string;
  /** The kind of message with its version: `object.changed.v1`. */
  readonly type: string;
  /** Any text without NUL and lone surrogates; up to 1 MiB at least. */
  readonly body: string;
  /** What caused it: `uid/resourceVersion/type`. Of merged messages, the last one's. Never used to drop one. */
  readonly eventId: string;
  /** A message that waits in the same group under the same key stands for this one too. Left out: never merged. */
  readonly mergeKey?: string | undefined;
  /** The uid of the object, whose tombstone stays as long as a message names it. */
  readonly subject?: string | undefined;
  /** How often it was tried before it went to the schedule and came back. */
  readonly attempt?: number | undefined;
};

/** One message in somebody's hands, until it is settled or its visibility runs out. */
export type Delivery = {
  readonly id: string;
  /** Holds the right to settle. After the visibility ran out, or after somebody else received it, it is worth nothing. */
  readonly receipt: string;
  readonly function: string;
  readonly group: string;
  readonly type: string;
  readonly body: string;
  readonly eventId: string;
  readonly attempt: number;
  /** How often it was received, this time included. */
  readonly received: number;
  /** For how long it has been waiting, by the queue's own clock. */
  readonly waitedMs: number;
};

/** Puts messages on the queue. Made for one transaction where the adapter can: then they exist when that commits. */
export type Sender = {
  /** All or none, in the order given within each group. */
  send(messages: readonly Outgoing[]): Promise<void>;
};

export type Receiving = {
  /** Only what is for these. */
  readonly functions: readonly string[];
  /** At most so many, each of a group of its own. */
  readonly max: number;
  /** How long nobody else gets them. */
  readonly visibilityMs: number;
  /** How long to wait where there is nothing. */
  readonly waitMs: number;
  /** Ends the waiting with what there is. What was claimed is always handed over, never dropped. */
  readonly signal?: AbortSignal | undefined;
};

export type Queue = Sender & {
  /**
   * Groups in the order in which they became free: one that goes on comes behind those that wait (SQS has its own order).
   * A suspect comes alone: whoever receives it has nothing else in hand, and gets nothing else meanwhile.
   */
  receive(receiving: Receiving): Promise<readonly Delivery[]>;
  /** From now on. `false`: the receipt is worth nothing any more. */
  extend(receipt: string, visibilityMs: number): Promise<boolean>;
  /**
   * Done with: the group goes on. An answer for each, in their order; `false` as above, or where the server may have
   * forgotten what was written since it was received: then it is given back.
   */
  settle(receipts: readonly string[]): Promise<readonly boolean[]>;
  /** Gives it back unsettled, to be received again at once. */
  release(receipt: string): Promise<boolean>;
  /** Puts it aside with the reason; the group goes on. */
  bury(receipt: string, why: string): Promise<boolean>;

  depth(functions?: readonly string[]): Promise<readonly Depth[]>;
  /** The next ones, without receiving them. Empty where the server cannot show them (SQS). */
  peek(functionName: string, max: number): Promise<readonly Waiting[]>;
  listDead(listing: {
    readonly function?: string;
    readonly after?: string;
    readonly max: number;
  }): Promise<readonly Dead[]>;
  /** Back to the end of their groups, in the order in which they were buried. */
  redrive(buried: Buried): Promise<Redriven>;
  /** Drops what is buried. */
  purgeDead(buried: Buried): Promise<Taken>;
  /** Drops what waits for a function; what somebody holds is theirs to end. */
  purge(functionName: string): Promise<number>;
  close(): Promise<void>;
};

/** Dead letters by their ids; or all that there are now, of one function or of every one. */
export type Buried = readonly string[] | { readonly function: string | undefined };

export type Taken = {
  /** How many there were. Where somebody wrote them by hand, several may have one id. */
  readonly count: number;
  /** Of the ids that were named, those that none has. */
  readonly missing: readonly string[];
};

export type Redriven = Taken & {
  /** What somebody wrote by hand and nobody can send: it stays buried. */
  readonly stuck: readonly Stuck[];
};

export type Stuck = { readonly id: string; readonly why: string };

export type Depth = {
  readonly function: string;
  readonly waiting: number;
  readonly inFlight: number;
  readonly dead: number;
  /** Of the one that waits longest; 0 where none does. */
  readonly oldestSeconds: number;
};

export type Waiting = Pick<
  Delivery,
  'id' | 'function' | 'group' | 'type' | 'eventId' | 'received'
> & {
  readonly waitedMs: number;
  readonly inFlight: boolean;
};

/** As it was, bytes and all. */
export type Dead = Pick<
  Delivery,
  'id' | 'function' | 'group' | 'type' | 'body' | 'eventId' | 'received'
> & {
  readonly why: string;
  readonly buriedAt: Date;
};

/** A message received so often without being settled kills whoever handles it: it is buried as `crashed`. */
export const maxReceived = 10;
/** So often it may have been in the company of the one that kills. Now it is run alone, so that a crash is its own. */
export const suspectAfter = 3;
export const crashed = 'crashed';
