import {
  choice,
  type Decoder,
  flag,
  integerFrom,
  optional,
  record,
  text,
} from '#shared/domain/decode.ts';

/** Every message: a name with its version, and the decoder of what it carries. */
export type MessageKind<M> = {
  readonly name: string;
  readonly decoder: Decoder<M>;
};

/** An object changed. Carries a reference, never state: the handler reads what is true now. */
export const objectChanged = {
  name: 'object.changed.v1',
  decoder: record({
    kind: choice('object'),
    cluster: text,
    group: text,
    resource: text,
    namespace: optional(text, ''),
    name: text,
    uid: text,
    deleted: flag,
  }),
} as const satisfies MessageKind<unknown>;

/** A function's period is over. */
export const periodElapsed = {
  name: 'period.elapsed.v1',
  decoder: record({ kind: choice('period'), function: text }),
} as const satisfies MessageKind<unknown>;

/** By itself, whatever becomes of this one: of a function that gives up each time there would be a dead letter a period. */
export function comesAgain(type: string): boolean {
  return type === periodElapsed.name;
}

/** Everything of a kind in a namespace is concerned: a worker makes a message for each, page by page. */
export const setAffected = {
  name: 'set.affected.v1',
  decoder: record({
    kind: choice('set'),
    cluster: text,
    group: text,
    resource: text,
    /** Empty: all of them. */
    namespace: optional(text, ''),
    /** The uid of the last one that has its message. */
    after: optional(text, ''),
    again: optional(record({ since: integerFrom(0) })),
  }),
} as const satisfies MessageKind<unknown>;

export type ObjectChanged = {
  readonly kind: 'object';
  readonly cluster: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly deleted: boolean;
};
export type PeriodElapsed = { readonly kind: 'period'; readonly function: string };

export type SetAffected = {
  readonly kind: 'set';
  readonly cluster: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly after: string;
  readonly again?: Again | undefined;
};

/** A set that was expanded: who has come to the mirror since. In milliseconds of the database's clock. */
export type Again = { readonly since: number };

/** What wakes a reconcile function. */
export type Wake = ObjectChanged | PeriodElapsed;

export const wakeKinds: readonly MessageKind<Wake>[] = [objectChanged, periodElapsed];
