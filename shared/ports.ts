import type { CertificateReader, KeyPair } from './domain/certificates/certificate.ts';
import type { Condition } from './domain/condition.ts';
import type { Finding } from './domain/image-trust/judgement.ts';
import type { TrustRules } from './domain/image-trust/rules.ts';
import type { Json, JsonObject } from './domain/json.ts';
import type { Operation } from './domain/json-patch.ts';
import type { Kind } from './domain/kind.ts';
import type { KubeObject } from './domain/kube-object.ts';
import type { Namespace } from './domain/namespace.ts';
import type { Node } from './domain/node.ts';
import type { BootstrapDocument } from './domain/pod-bootstrap/document.ts';
import type { Held } from './domain/pod-bootstrap/held-document.ts';
import type { Campaign, KeptCampaign } from './domain/pod-bootstrap/housekeeping/campaign.ts';
import type { Trip } from './domain/pod-bootstrap/housekeeping/hindrance.ts';
import type { TrustBundle } from './domain/pod-bootstrap/trust-bundle.ts';
import type { LabelSelector } from './domain/selector.ts';
import type { Configured, Settings } from './domain/settings.ts';

/** What a function may ask of the world. It is handed those that its `uses` names, and no others. */
export type Ports = {
  readonly clock: Clock;
  readonly settings: SettingsPort;
  readonly namespaces: Namespaces;
  readonly nodes: Nodes;
  readonly bootstrapDocument: BootstrapDocuments;
  readonly cluster: Cluster;
  readonly mirror: Mirror;
  readonly conditions: Conditions;
  readonly measures: Measures;
  readonly events: EventWriter;
  readonly certificates: Certificates;
  readonly images: ImageJudge;
  readonly restarts: Restarts;
};

export type Clock = { now(): Date };

export type SettingsPort = {
  /** The newest good configuration. */
  current(): Settings;
};

export type Namespaces = {
  /** For a review it may be up to a second old; for a run nothing is older than what woke it. */
  find(name: string): Promise<Namespace | undefined>;
  /** One bounded read of the cluster itself. */
  findLive(name: string): Promise<Namespace | undefined>;
  list(selector: LabelSelector): Promise<readonly Namespace[]>;
};

export type Nodes = {
  /** As old as a namespace may be. */
  list(selector: LabelSelector): Promise<readonly Node[]>;
};

/** What is done to pods, as the platform has written it into its ConfigMap. */
export type BootstrapDocuments = {
  /** The newest good one; for a review it may be seconds old, for a run nothing is older than what woke it. While there was none, nothing is done. */
  current(): Promise<BootstrapDocument | undefined>;
  /** What is wrong with what was read last: the one before it counts, where there was one. */
  problems(): Promise<readonly string[]>;
  /** One read of the cluster itself: what stands there now, good or bad. */
  readLive(): Promise<Held>;
  /** Of a ClusterTrustBundle of this name, as old as the document may be. What cannot be read is unknown; of an outage a run is told, a review is not. */
  trustBundle(name: string): Promise<TrustBundle>;
};

/** One object. `namespace` is left out for kinds that have none. */
export type Target = {
  readonly kind: Kind;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** `status`, `scale` */
  readonly subresource?: string | undefined;
};

export type Write =
  | { readonly kind: 'written'; readonly object: KubeObject }
  /** Somebody wrote first, it exists already, a precondition or a `test` of a JSON Patch did not hold. */
  | { readonly kind: 'conflict'; readonly why: string }
  | { readonly kind: 'not-found' }
  /** A disruption budget (eviction) or the server itself asks us to wait. */
  | { readonly kind: 'busy'; readonly why: string; readonly afterSeconds: number };

export type PatchBody =
  | { readonly type: 'json'; readonly operations: readonly (Operation | Test)[] }
  | { readonly type: 'merge' | 'strategic'; readonly body: JsonObject };

export type Test = { readonly op: 'test'; readonly path: string; readonly value: Json };

export type WriteOptions = {
  readonly dryRun?: boolean | undefined;
  /** The write happens only if the object still has this uid, or this version. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
};

export type ListOptions = {
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelector | undefined;
  /** `metadata.name=x,status.phase=Running` */
  readonly fields?: string | undefined;
  readonly pageSize?: number | undefined;
  /** The rest of each object stays on the server. */
  readonly metadataOnly?: boolean | undefined;
};

/** What an outage does: it throws. What the cluster answers on purpose is a value. */
export type Cluster = {
  find(target: Target): Promise<KubeObject | undefined>;
  list(kind: Kind, options?: ListOptions): AsyncIterable<KubeObject>;
  create(kind: Kind, object: KubeObject, options?: WriteOptions): Promise<Write>;
  /** The whole object; conditional on its own resourceVersion. */
  replace(target: Target, object: KubeObject, options?: WriteOptions): Promise<Write>;
  patch(target: Target, body: PatchBody, options?: WriteOptions): Promise<Write>;
  /** Server-side apply under an own field manager. */
  apply(
    target: Target,
    object: KubeObject,
    options: WriteOptions & { readonly fieldManager: string; readonly force?: boolean },
  ): Promise<Write>;
  evict(target: Target, options?: WriteOptions): Promise<Write>;
  delete(target: Target, options?: WriteOptions): Promise<Write>;
};

/** What the cluster last told us, from the database: of the kinds that the function watches or `reads`. Absence in it is no fact. */
export type Mirror = {
  find(kind: Kind, at: { readonly namespace?: string; readonly name: string }): Promise<Found>;
  /** Also what was deleted, with its last labels and owners. */
  findByUid(kind: Kind, uid: string): Promise<Found & { readonly isDeleted: boolean }>;
  list(kind: Kind, options?: MirrorOptions): Promise<Listing>;
};

/** True for this version, the newest of whoever follows what was asked for; empty where nobody does, or has not listed it. */
export type Found = { readonly object: KubeObject | undefined; readonly resourceVersion: string };

export type Listing = {
  readonly resourceVersion: string;
  /** Read in pages while it is gone through. */
  readonly objects: AsyncIterable<KubeObject>;
};

export type MirrorOptions = {
  readonly namespace?: string | undefined;
  readonly labels?: LabelSelector | undefined;
  /** The uid of an owner. */
  readonly owner?: string | undefined;
  /** One of the indexes that a definition declares for the kind; any other is refused. No version before all rows have its keys. */
  readonly index?: { readonly name: string; readonly key: string } | undefined;
  readonly pageSize?: number | undefined;
};

/** A right that the `cluster` port is narrowed to, and that the function's role is made of. */
export type Access = {
  readonly kind: Kind;
  readonly subresource?: string;
  readonly verbs: readonly [AccessVerb, ...AccessVerb[]];
  /** Only these objects; a `create` cannot be narrowed by name in Kubernetes and stands in a rule of its own. */
  readonly names?: readonly (string | Configured<string>)[];
  /** `installation` is Gatehouse's own namespace; every namespace where it is left out. */
  readonly namespace?: 'installation' | (string & {});
};

export type AccessVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** A standing fact about the system that operators watch: logged when it changes, a gauge all the time. */
export type Conditions = { report(condition: Condition): void };

/** Gauges by name and labels; one report replaces all earlier values of that name. */
export type Measures = {
  report(name: string, values: readonly Measure[]): void;
};

export type Measure = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

/** Kubernetes Events. The same report again counts up the Event that is there. */
export type EventWriter = {
  report(event: {
    readonly regarding: {
      readonly kind: Kind;
      readonly namespace?: string | undefined;
      readonly name: string;
      readonly uid: string;
    };
    readonly type: 'Normal' | 'Warning';
    readonly reason: string;
    readonly note: string;
  }): Promise<void>;
};

/** Which pods are being made anew, for all replicas together. Times are the store's own. */
export type Restarts = {
  /** The newest of this owner, in its namespace: a pod may name whomever it likes. */
  find(owner: string, namespace: string): Promise<KeptCampaign | undefined>;
  /** All that are open or tripped. */
  listUnsettled(): Promise<readonly KeptCampaign[]>;
  /**
   * Notes what is to be evicted, before it is, and asks for its turn. `revision` is the one that was read, 0 where there was
   * none; `undefined`: somebody wrote first.
   */
  intend(campaign: Campaign, on: Pausing): Promise<Turn | undefined>;
  /** Asks once more for the turn of what was noted: it is taken, or drawn anew where it has passed. */
  takeTurn(owner: string, on: Pausing): Promise<Turn | undefined>;
  /** Nobody has gone in the turn that was taken. */
  giveTurnBack(pauseMs: number): Promise<void>;
  /** `false`: somebody wrote first. */
  settle(
    owner: string,
    to: { readonly state: 'closed' | 'tripped'; readonly revision: number },
  ): Promise<boolean>;
  /** That this pod, which was to go, was evicted. */
  noteEvicted(pod: string): Promise<void>;
  /** Of each namespace the last one that was tripped, and is so still. */
  trips(): Promise<readonly Trip[]>;
  /** For how long it has been this one, a bundle by its name or the configuration; 0 where it is so only now. */
  ageMs(name: string, hash: string): Promise<number>;
  /** The pods that were evicted within the last day. */
  tally(): Promise<readonly { readonly reason: Campaign['reason']; readonly count: number }[]>;
};

/** `pauseMs`: until the next one may go. */
export type Pausing = { readonly revision: number; readonly pauseMs: number };

/** How long until it has come; where that is nothing, it is taken. */
export type Turn = { readonly waitMs: number };

/** Whether images are signed. It never throws for what a server, a registry or a pod can cause. */
export type ImageJudge = {
  /** Asks whoever has to be asked, all at once. The signal bounds the answer, not what is learnt. */
  judge(images: readonly string[], asked: ImagesAsked): Promise<readonly Finding[]>;
  /** From what is stored alone, and still serves: nobody outside is asked. */
  recall(images: readonly string[], asked: ImagesAsked): Promise<readonly Finding[]>;
};

export type ImagesAsked = {
  readonly rules: TrustRules;
  /** Whose pull secrets may be shown to a registry; of no pod, where nothing but the name is asked about. */
  readonly pod?:
    | {
        readonly namespace: string;
        readonly serviceAccount: string;
        readonly pullSecrets: readonly string[];
      }
    | undefined;
  /** A dry run plants nothing. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  /** Without: as long as the signal lets it. A timer is set only where somebody has to be waited for. */
  readonly withinMs?: number;
};

export type { KeyPair };

/** Issues certificates and looks at them; PEM in, PEM out. */
export type Certificates = CertificateReader & {
  issueCa(options: { readonly notBefore: Date; readonly notAfter: Date }): Promise<KeyPair>;
  /** Never outlives its CA, whatever is asked for. */
  issueLeaf(options: {
    readonly ca: KeyPair;
    readonly dnsNames: readonly string[];
    readonly notBefore: Date;
    readonly notAfter: Date;
  }): Promise<KeyPair>;
};
