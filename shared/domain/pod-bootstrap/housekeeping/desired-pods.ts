import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Kind } from '../../kind.ts';
import type { KubeObject } from '../../kube-object.ts';
import type { Owner } from './housed-pod.ts';

/** Who makes a pod anew, and can be asked whether it is still there and how many it wants. */
export const ownerKinds = [
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'ReplicationController',
] as const;

export const countingOwners: readonly Kind[] = ownerKinds.map((kind) => ({
  ...{ group: kind === 'ReplicationController' ? '' : 'apps', version: 'v1', kind },
  ...{ resource: `${kind.toLowerCase()}s`, namespaced: true },
}));

export function countingKind({ apiVersion, kind }: Pick<Owner, 'apiVersion' | 'kind'>) {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return countingOwners.find((each) => each.kind === kind && each.group === group);
}

/** `gone`: it is not there, is about to go, or is another one of its name; `unknown`: it does not say, or nobody can ask it. */
export type Desired = number | 'gone' | 'unknown';

export type Heard = { readonly owner: KubeObject | undefined; readonly desired: Desired };

type Asked = {
  readonly uid: string;
  readonly namespace: string;
  readonly by: Pick<Owner, 'apiVersion' | 'kind' | 'name'> | undefined;
};

type Reader = {
  find(target: {
    readonly kind: Kind;
    readonly namespace: string;
    readonly name: string;
  }): Promise<KubeObject | undefined>;
};

/** A pod says itself who its owner is: only the one of its own namespace and of this uid counts. */
export async function askOwner(cluster: Reader, { uid, namespace, by }: Asked): Promise<Heard> {
  const kind = by && countingKind(by);
  if (by === undefined || kind === undefined) return { owner: undefined, desired: 'unknown' };
  const owner = await cluster.find({ kind, namespace, name: by.name });
  const isThere = owner?.metadata.uid === uid && owner.metadata['deletionTimestamp'] === undefined;
  if (!isThere) return { owner: undefined, desired: 'gone' };
  return { owner, desired: desiredPods(owner) ?? 'unknown' };
}

/** Of a DaemonSet the nodes decide. */
export function desiredPods(owner: KubeObject | undefined): number | undefined {
  const found =
    partOf(owner, 'spec')['replicas'] ?? partOf(owner, 'status')['desiredNumberScheduled'];
  return typeof found === 'number' ? found : undefined;
}

export function partOf(owner: KubeObject | undefined, name: 'spec' | 'status'): JsonObject {
  const part = owner?.[name];
  return isJsonObject(part) ? part : {};
}
