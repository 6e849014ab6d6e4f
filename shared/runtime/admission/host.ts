import type { AdmissionFunction } from '#shared/define.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Namespaces, Ports } from '#shared/ports.ts';
import type { Log } from '../log.ts';
import type { Asked } from './envelope.ts';
import type { Step } from './fuse.ts';
import type { ConditionVariables } from './match-condition.ts';

/** What the admission loop stands on. */
export type Host = {
  readonly settings: () => Settings;
  /** For selectors of namespaces. */
  readonly namespaces: Pick<Namespaces, 'find' | 'findLive'>;
  readonly meter: Meter;
  readonly log: Log;
  /** Shown each review, after its answer is known. */
  readonly onlooker?: (seen: Seen) => void;
  /** Somebody stands at a breakpoint, perhaps: no answer comes too late. */
  readonly isUntimed?: (() => boolean) | undefined;
};

export type Seen = { readonly asked: Asked; readonly steps: readonly Step[] };

export type FailureKind =
  | 'overran'
  | 'out-of-time'
  | 'threw'
  | 'object-refused'
  | 'namespace-unknown'
  | 'condition-failed'
  | 'out-of-bounds'
  | 'misfit'
  | 'no-verdict';

export type Answered = 'allow' | 'patch' | 'deny' | 'left-out' | 'failed';

export type Meter = {
  ran(name: string, answered: Answered, ms: number): void;
  failed(name: string, kind: FailureKind): void;
  late(name: string): void;
  unreadable(code: number): void;
  answered(path: string, ms: number): void;
  /** Of a function's words for the audit log, what was counted by them. */
  told(name: string, key: string, value: string): void;
};

/** A function ready to be asked: its ports picked, its match conditions compiled. */
export type Bound = {
  readonly definition: AdmissionFunction;
  readonly ports: Ports;
  readonly conditions: readonly BoundCondition[];
  /** Why it cannot share an entry: conditions that only the API server can evaluate, and then does. */
  readonly unfit: string;
};

export type BoundCondition = {
  readonly name: string;
  readonly holds: (variables: ConditionVariables) => boolean;
};
