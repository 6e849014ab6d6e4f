import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Outcome } from '#shared/domain/outcome.ts';
import type { Listed } from '#shared/domain/watched.ts';
import type { Target } from '#shared/ports.ts';
import type { Log } from '#shared/runtime/log.ts';
import type { KindOf } from '../shapes/kinds.ts';
import type { Thing } from '../shapes/meta.ts';
import type { Api } from './api.ts';
import type { Discovered } from './discovery.ts';
import type { Shelf } from './shelf.ts';

export type ControllerName =
  | 'namespaces'
  | 'garbage'
  | 'accounts'
  | 'account-tokens'
  | 'endpoints'
  | 'endpoint-mirror'
  | 'disruption'
  | 'cluster-roles'
  | 'deployments'
  | 'replica-sets'
  | 'replication-controllers'
  | 'stateful-sets'
  | 'daemon-sets'
  | 'jobs'
  | 'cron-jobs'
  | 'scheduler'
  | 'taint-evictions'
  | 'lost-pods'
  | 'volume-protection'
  | 'kubelet'
  | 'node-leases';

/** One thing that is looked after: who wakes it, and what it does when it is woken. */
export type Controller = {
  readonly name: ControllerName;
  readonly wakes: readonly Wake[];
  /** Kinds that it looks at without being woken by them. */
  readonly reads?: readonly Kind[];
  /** Looks at once at what changes within so long. */
  readonly settleMs?: number;
  readonly workers?: number;
  /** After all that it reads has been read; before anything is reconciled. */
  begin?(world: World, wake: (place: string) => void): void;
  reconcile(place: string, world: World): Promise<Outcome>;
};

export type Wake = {
  readonly kind: Kind;
  readonly metadataOnly?: boolean;
  /** Asked of the object before a change, and of the one after it. */
  places(object: Thing, world: World): Iterable<string>;
};

/** What every controller stands on. */
export type World = {
  /** Asks in one name, and may no more than that one. */
  readonly api: Api;
  /** The same in the name of another: one of these may do what several do in a real cluster. */
  as(user: string): World;
  /** Of a kind that the controller's wakes or reads name. */
  shelf<T extends Thing>(kind: KindOf<T>): Shelf<T>;
  /** Of any kind: the metadata alone where nobody reads the rest. */
  metadataOf(kind: Kind): Shelf<Thing>;
  /** All kinds of metadata that are followed. */
  followed(): readonly Shelf<Thing>[];
  /** When all that was asked for until now is known. */
  synced(): Promise<unknown>;
  discover(): Promise<Discovered>;
  discoverAnew(): Promise<Discovered>;
  /** As it is now: not by a watch. */
  listMetadata(kind: Kind, namespace: string): Promise<Listed>;
  /** ConfigMaps, namespaces, secrets and accounts alone. */
  findLive(target: Target): Promise<KubeObject | undefined>;
  /** All of them, as they are now. */
  listLive<T extends Thing>(kind: KindOf<T>, namespace: string): AsyncIterable<T>;
  now(): Date;
  /** A Kubernetes Event; never fails, and nobody waits for it. */
  report(about: Thing, kind: Kind, event: Report): void;
  /** PEM of the API server's authority. */
  readonly rootCa: string;
  readonly log: Log;
  readonly signal: AbortSignal;
};

export type Report = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  /** Which component says so. */
  readonly by?: string;
  /** On which node that is. */
  readonly host?: string;
  /** What of the object it is about: `spec.containers{main}`. */
  readonly part?: string;
};

/** A kind's objects wake the places that are made of them. */
export function wake<T extends Thing>(
  kind: KindOf<T>,
  places: (object: T, world: World) => Iterable<string>,
): Wake {
  return { kind, places: (object: Thing, world) => places(object as T, world) };
}

export function targetOf(kind: Kind, { metadata }: Pick<Thing, 'metadata'>, subresource?: string) {
  const { namespace, name } = metadata;
  return { kind, namespace, name, ...(subresource !== undefined && { subresource }) };
}
