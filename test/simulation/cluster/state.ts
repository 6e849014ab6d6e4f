import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { widgets } from '../cast.ts';

/** One write, as etcd has it. */
export type Written = {
  readonly revision: number;
  readonly resource: string;
  readonly before: KubeObject | undefined;
  /** `undefined`: it was deleted. */
  readonly after: KubeObject | undefined;
};

type Objects = ReadonlyMap<string, KubeObject>;

type Past = {
  readonly revision: number;
  readonly objects: Objects;
  readonly served: string | undefined;
};

/** The three shapes of a 410. */
export const tooOlds = ['status', 'line', 'silence'] as const;
export type TooOld = (typeof tooOlds)[number];

/** What the API server has, and what it forgot. */
export type ClusterState = {
  /** The uid of kube-system. */
  uid: string;
  revision: number;
  /** Versions below are forgotten: a watch from there is a 410. */
  compacted: number;
  /** In which shape, to everybody and until the next time: in another one it would heal who understands only that. */
  tooOld: TooOld;
  /** Counts restarts that lose what is open: watches, continues. */
  incarnation: number;
  objects: Objects;
  log: readonly Written[];
  /** What a restore can bring back. */
  past: readonly Past[];
  /** The version in which widgets are served; `undefined`: nobody serves them. */
  served: string | undefined;
  /** After a restore, the first version that would come a second time: not written before everybody has noticed. */
  ceiling: number;
  /** A replica that lags has seen so much. */
  lagging: number | undefined;
  uids: number;
  /** How many names there are for widgets. */
  crowd: number;
};

export function emptyCluster(): ClusterState {
  return {
    uid: 'cluster-1',
    revision: 1,
    compacted: 1,
    tooOld: 'line',
    incarnation: 0,
    objects: new Map(),
    log: [],
    past: [],
    served: widgets.version,
    ceiling: Number.POSITIVE_INFINITY,
    lagging: undefined,
    uids: 0,
    crowd: 1,
  };
}

export function keyOf(resource: string, { namespace = '', name = '' }: KubeObject['metadata']) {
  return `${resource} ${namespace}/${name}`;
}

export function isOf(resource: string): (entry: readonly [string, KubeObject]) => boolean {
  return ([key]) => key.startsWith(`${resource} `);
}

/** The revision that whoever asks sees. */
export function seenRevision({ revision, lagging }: ClusterState): number {
  return Math.min(revision, lagging ?? revision);
}

export type Put = {
  readonly resource: string;
  readonly object: KubeObject;
  readonly isGone?: boolean;
};

/** `false`: versions of before a restore would come again while somebody may still believe in them. */
export function write(state: ClusterState, { resource, object, isGone = false }: Put): boolean {
  if (state.revision + 1 >= state.ceiling) return false;

  const revision = state.revision + 1;
  const key = keyOf(resource, object.metadata);
  const before = state.objects.get(key);
  const resourceVersion = String(revision);
  const stored = { ...object, metadata: { ...object.metadata, resourceVersion } };
  const objects = new Map(state.objects);
  if (isGone) objects.delete(key);
  else objects.set(key, stored);
  const { served } = state;
  state.past = [...state.past, { revision: state.revision, objects: state.objects, served }];
  state.log = [...state.log, { revision, resource, before, after: isGone ? undefined : stored }];
  state.objects = objects;
  state.revision = revision;
  return true;
}

export function newUid(state: ClusterState): string {
  state.uids += 1;
  return state.uids.toString(16).padStart(6, '0');
}

/** Back to an older state: what is open is cut, and what was written since never was. */
export function restore(state: ClusterState, back: number): void {
  const target = state.past.at(-back);
  if (target === undefined) return;
  state.ceiling = target.revision + 1;
  state.revision = target.revision;
  state.objects = target.objects;
  state.served = target.served;
  state.past = state.past.slice(0, -back);
  state.log = state.log.filter(({ revision }) => revision <= target.revision);
  state.compacted = target.revision;
  state.lagging = undefined;
  state.incarnation += 1;
}

/** Another cluster answers under the same address: the same names, other uids, and versions that mean nothing. */
export function replaceCluster(state: ClusterState, revision: number): void {
  state.incarnation += 1;
  state.uid = `cluster-${state.incarnation + 1}`;
  state.revision = revision;
  state.compacted = revision;
  state.objects = new Map(
    [...state.objects].map(([key, object]) => [key, reborn(state, object, revision)]),
  );
  state.log = [];
  state.past = [];
  state.ceiling = Number.POSITIVE_INFINITY;
  state.lagging = undefined;
}

function reborn(state: ClusterState, object: KubeObject, revision: number): KubeObject {
  const uid = newUid(state);
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(revision) } };
}

/** In the version that is asked for. */
export function isServed({ served }: ClusterState, { resource, version }: Kind): boolean {
  return resource !== widgets.resource || served === version;
}
