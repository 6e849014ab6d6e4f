import type { Condition } from '#shared/domain/condition.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Change, Verdict } from '#shared/domain/verdict.ts';
import type { ImageJudge, Measure } from '#shared/ports.ts';
import type { Partly } from '../testing/settings-fixed.ts';
import type { Knobs } from './faults/knobs.ts';
import type { Manifest } from './manifest.ts';
import type { Ref } from './ref.ts';
import type { FunctionSource } from './sources.ts';

export type EmulateOptions = {
  /**
   * The functions under test: definitions, or the files that export them (`new URL('./expire.ts', import.meta.url)`).
   * A file is loaded anew whenever a fault restarts the process, so that what it keeps in memory is lost as in production.
   */
  readonly functions: readonly FunctionSource[];
  /** What the cluster has from the start: objects, or YAML. `default` and `kube-system` are always there. */
  readonly objects?: Manifest;
  /** As in the configuration file; what is left out has the product's default. The functions' own capabilities are on. */
  readonly config?: Partly<Settings>;
  /**
   * `memory` (the default): production's forwarder, worker and admission between a cluster, a mirror and a queue in memory,
   * by an invented clock. `real`: the same between an emulated API server over HTTP and an embedded Postgres, by the true clock.
   */
  readonly parts?: 'memory' | 'real';
  /** Of the real parts: a Postgres to use, in place of one of the world's own. */
  readonly databaseUrl?: string | undefined;
  /** Of the parts in memory: who answers as Notaries and registries. Nobody does where it is left out. */
  readonly outside?: Outside;
  /** Of the parts in memory: a judge in place of production's, such as a table of judgements. */
  readonly images?: ImageJudge;
  /** Of the parts in memory: when the invented clock begins. */
  readonly startAt?: string;
};

/** A small cluster with Gatehouse in it, which goes on only when it is told to. */
export type World = Knobs &
  AsyncDisposable & {
    /** Creates what is not there and changes what is, as `kubectl apply` does; a `status` is written as well. Returns the last one. */
    apply(manifest: Manifest): Promise<KubeObject>;
    /** As `kubectl delete`. `false`: it was not there. */
    delete(ref: Ref): Promise<boolean>;
    /** One object as the cluster has it now: `find('ConfigMap team-a/settings')`. */
    find(ref: OneRef): Promise<KubeObject | undefined>;
    /** All of a kind: `find('Pod')`. */
    find(kind: string): Promise<readonly KubeObject[]>;
    /**
     * Until nothing waits, runs, or is to be tried again soon, and the mirror has what the cluster has.
     * Throws where that does not come about, and says what still goes on.
     */
    settle(limits?: SettleLimits): Promise<void>;
    /** Lets time pass: periods, `later` and backoffs that fall due on the way run. */
    advance(ms: number): Promise<void>;
    /** Asks the admission functions about a pod, without making it. */
    admit(pod: Manifest, request?: AdmitRequest): Promise<Admitted>;
    /** Every run and every admission so far, oldest first. */
    decisions(): readonly Decision[];
    /** What the forwarder noticed, line by line: watches that ended, lists, waits. For whoever looks for a fault's traces. */
    story(): readonly string[];
    /** What the functions' clock shows. */
    now(): Date;
    /** Every object of every known kind. */
    objects(): Promise<readonly KubeObject[]>;
    /** What functions said beside the cluster: the newest of each condition, and of each measure. */
    reports(): Reports;
    /** Messages that were given up: none, where all is well. */
    buried(): Promise<readonly Buried[]>;
    close(): Promise<void>;
  };

/** Of text, what has a space or a slash names one object. */
type OneRef = Exclude<Ref, string> | `${string} ${string}` | `${string}/${string}`;

export type Reports = {
  readonly conditions: readonly Condition[];
  readonly measures: Readonly<Record<string, readonly Measure[]>>;
};

export type SettleLimits = {
  /** A `later` that is due within so long is waited for (by the world's own clock). */
  readonly soonMs?: number;
  /** So much time may pass in the world. */
  readonly withinMs?: number;
};

export type AdmitRequest = {
  readonly operation?: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly old?: Manifest;
  readonly namespace?: string;
  readonly dryRun?: boolean;
  readonly username?: string;
};

export type Admitted = {
  readonly verdict: Verdict['kind'];
  /** What is told to the user who is denied. */
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  /** Why functions could not answer: what they threw, what they could not read. */
  readonly failures: readonly string[];
  readonly patch: readonly Change[];
  /** The object as it would be stored. */
  readonly object: KubeObject;
};

export type Decision = Run | Admission;

export type Run = {
  readonly kind: 'run';
  readonly function: string;
  /** `ConfigMap team-a/settings`; none where time woke it. */
  readonly object: string | undefined;
  readonly uid: string | undefined;
  readonly deleted: boolean;
  /** What the handler answered; `threw` where it did not. */
  readonly outcome: 'done' | 'later' | 'conflict' | 'retry' | 'give-up' | 'threw';
  readonly why: string | undefined;
  readonly writes: readonly Written[];
  readonly ms: number;
};

export type Written = {
  readonly verb: 'create' | 'replace' | 'patch' | 'apply' | 'evict' | 'delete';
  readonly object: string;
  /** `lost`: no answer came, and nobody knows. */
  readonly result: 'written' | 'conflict' | 'not-found' | 'busy' | 'lost';
};

export type Admission = Admitted & {
  readonly kind: 'admission';
  /** The function that answered. */
  readonly function: string;
  readonly name: string;
  readonly ms: number;
};

export type Buried = {
  readonly function: string;
  readonly why: string;
  readonly group: string;
};
