import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Kind } from '../../kind.ts';
import type { KubeObject } from '../../kube-object.ts';
import type { Owner } from './housed-pod.ts';

/** Who says how many pods there are to be. */
export const countingOwners: readonly [Kind, ...Kind[]] = [
  of('apps', 'ReplicaSet'),
  of('apps', 'StatefulSet'),
  of('apps', 'DaemonSet'),
  of('', 'ReplicationController'),
];

function of(group: string, kind: string): Kind {
  return { group, version: 'v1', kind, resource: `${kind.toLowerCase()}s`, namespaced: true };
}

export function countingKind({ apiVersion, kind }: Pick<Owner, 'apiVersion' | 'kind'>) {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return countingOwners.find((each) => each.kind === kind && each.group === group);
}

/** `gone`: it is not there, or another one of its name; `unknown`: it does not say, or nobody can ask it. */
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

export async function askOwner(cluster: Reader, { uid, namespace, by }: Asked): Promise<Heard> {
  const kind = by && countingKind(by);
  if (by === undefined || kind === undefined) return { owner: undefined, desired: 'unknown' };
  const owner = await cluster.find({ kind, namespace, name: by.name });
  if (owner?.metadata.uid !== uid) return { owner: undefined, desired: 'gone' };
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
