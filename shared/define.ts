import type { Wake } from '#events/kinds.ts';
import type { Decoder } from './domain/decode.ts';
import type { JsonObject } from './domain/json.ts';
import type { Kind } from './domain/kind.ts';
import type { Outcome } from './domain/outcome.ts';
import type { ConfiguredPlace } from './domain/place.ts';
import type { LabelSelector } from './domain/selector.ts';
import type { Configured } from './domain/settings.ts';
import type { Verdict } from './domain/verdict.ts';
import type { Watch } from './domain/watch.ts';
import type { Access, Ports } from './ports.ts';

export type { Change, Wakes, Watch } from './domain/watch.ts';
/** A function's file imports from here what its handler is given. */
export type {
  BootstrapDocuments,
  Certificates,
  Cluster,
  EventWriter,
  Mirror,
  Namespaces,
  Ports,
  Target,
  Write,
} from './ports.ts';

export type Capability =
  | 'image-trust'
  | 'pod-bootstrap'
  | 'node-affinity'
  | 'policies'
  | 'scanning'
  | 'certificates'
  | (string & {});

export type Uses = readonly (keyof Ports)[];
export type Verb = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
export type OnFailure = 'allow-with-warning' | 'deny';

export type AdmissionTrigger = {
  /** The API group of `resources`; the core group where it is left out. */
  readonly group?: string;
  readonly version?: string;
  /** `pods`, `pods/ephemeralcontainers` */
  readonly resources: readonly [string, ...string[]];
  readonly operations: readonly [Verb, ...Verb[]];
  readonly namespaceSelector?: Configured<LabelSelector>;
  /** Only the object of this name is asked about. A handler looks at the name itself as well. */
  readonly object?: ConfiguredPlace;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly MatchCondition[];
};

/** CEL over `object`, `oldObject`, `request` and `namespaceObject`, as the API server has it. */
export type MatchCondition = { readonly name: string; readonly expression: string };

/** What is asked: `namespace` is the request's; a pod made by a controller has none of its own yet. */
export type Review<T> = {
  readonly object: T;
  readonly old: T | undefined;
  readonly operation: Verb;
  readonly subresource: string | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly deadline: AbortSignal;
};

export type UserInfo = {
  readonly username: string;
  readonly groups: readonly string[];
};

type Stated = {
  /** The file's name. */
  readonly name: string;
  readonly capability: Capability;
  /** One sentence for `explain`, the docs and the rendered manifests. */
  readonly summary?: string;
  readonly deadlineMs: number;
  /** Beyond what the ports imply: what the `cluster` port may do for this function. */
  readonly access?: readonly Access[];
  /** The kinds that it reads from the mirror, beside those that it watches. */
  readonly reads?: readonly Kind[];
};

export type AdmissionFunction<T = unknown, U extends Uses = Uses> = Stated & {
  readonly shape: 'admission';
  readonly phase: 'mutate' | 'validate';
  readonly trigger: AdmissionTrigger;
  readonly schema: Decoder<T>;
  readonly uses: U;
  /** The answer when the function throws, runs out of time, or cannot read the object. */
  readonly onFailure: OnFailure | Configured<OnFailure>;
  /**
   * It decides by nothing but the review and what its ports say, and leaves the same undone, so that of pods which one
   * template makes the answer to the first may be given to all: they differ in the request's uid, the random name of
   * the token volume and the times in `managedFields`, none of which it looks at for what it says.
   */
  readonly isRepeatable?: boolean;
  /** The webhook name and path of the system that it replaces, which `render --separate` keeps. */
  readonly replaces?: Replaced;
  handler(review: Review<T>, ports: Pick<Ports, U[number]>): Verdict | Promise<Verdict>;
};

export type Replaced = {
  readonly configuration: string;
  readonly webhook: string;
  readonly service: string;
  readonly path: string;
};

export type ReconcileTrigger = {
  readonly watch?: Watch | readonly Watch[];
  /** The settings may say it. */
  readonly everySeconds?: number | Configured<number>;
};

export function watchesOf({ watch = [] }: ReconcileTrigger): readonly Watch[] {
  return Array.isArray(watch) ? watch : [watch as Watch];
}

export type ReconcileFunction<U extends Uses = Uses> = Stated & {
  readonly shape: 'reconcile';
  readonly trigger: ReconcileTrigger;
  readonly uses: U;
  handler(wake: Wake, ports: Pick<Ports, U[number]>, run?: Run): Outcome | Promise<Outcome>;
};

/** Given by the loop; what a handler still does after its deadline nobody waits for. */
export type Run = {
  readonly deadline: AbortSignal;
  /** What woke it is a state that this function wrote itself; not where another process did, nor on a second run. */
  readonly isOwnWrite?: boolean;
  /** What woke it, of several merged ones the last: who is given the same message twice is given the same id. */
  readonly eventId?: string | undefined;
};

/** A Hono app, seen from here as what it is to its caller. */
export type Endpoint = { fetch(request: Request): Response | Promise<Response> };

export type EndpointFunction<U extends Uses = Uses> = Stated & {
  readonly shape: 'endpoint';
  /** The path below which the app answers. */
  readonly trigger: { readonly path: `/${string}` };
  readonly uses: U;
  handler(ports: Pick<Ports, U[number]>): Endpoint;
};

export type Definition = AdmissionFunction | ReconcileFunction | EndpointFunction;

export function defineAdmission<T, const U extends Uses>(
  stated: Omit<AdmissionFunction<T, U>, 'shape'>,
): AdmissionFunction<T, U> {
  return { shape: 'admission', ...stated };
}

export function defineReconcile<const U extends Uses>(
  stated: Omit<ReconcileFunction<U>, 'shape'>,
): ReconcileFunction<U> {
  return { shape: 'reconcile', ...stated };
}

export function defineEndpoint<const U extends Uses>(
  stated: Omit<EndpointFunction<U>, 'shape'>,
): EndpointFunction<U> {
  return { shape: 'endpoint', ...stated };
}

export type RawReview = Review<JsonObject>;
