import type { KubeObject } from '../../kube-object.ts';
import type { Namespace } from '../../namespace.ts';
import { isWaiting, type KeptCampaign } from './campaign.ts';
import type { House } from './house.ts';
import { housedPod } from './housed-pod.ts';
import { type Looked, type Looking, lookAt } from './look-at-pods.ts';

export function lookingIn(house: House, namespace: Looking['wanted']['namespace']): Looking {
  const { configuration, trustBundle, policy } = house;
  return { wanted: { configuration, trustBundle, namespace }, policy };
}

export type Placed = { readonly looked: Looked; readonly namespace: Namespace };

/** All pods, page by page. Of a namespace that nobody finds nothing is known: its pods are passed over. */
export async function* lookOver(
  pods: AsyncIterable<KubeObject>,
  house: House,
  findNamespace: (name: string) => Promise<Namespace | undefined>,
): AsyncGenerator<Placed> {
  const places = new Map<string, Namespace | undefined>();
  for await (const object of pods) {
    const pod = housedPod(object);
    if (pod === undefined) continue;
    const { namespace: name } = pod;
    if (!places.has(name)) places.set(name, await findNamespace(name));
    const namespace = places.get(name);
    if (namespace === undefined) continue;
    yield { looked: lookAt(pod, lookingIn(house, namespace)), namespace };
  }
}

export type Whose = {
  readonly uid: string;
  readonly namespace: string;
  /** The pod whose change has led here. */
  readonly by?: string | undefined;
  /** It has just ended what others waited for. */
  readonly isFree?: boolean | undefined;
};

/** Those that have a pod which could be restarted, and those of which something was begun, each once in its namespace. */
export async function ownersIn(
  placed: AsyncIterable<Placed>,
  begun: readonly Pick<KeptCampaign, 'owner' | 'namespace' | 'state' | 'turnInMs'>[],
): Promise<readonly Whose[]> {
  const owners = new Map<string, Whose>();
  const add = (uid: string, namespace: string) =>
    owners.set(`${namespace}/${uid}`, { uid, namespace });
  for (const { owner, namespace } of begun) add(owner, namespace);
  for await (const { looked } of placed) {
    const { pod, reason, excuse } = looked;
    if (pod.owner === undefined || reason === undefined || excuse !== undefined) continue;
    add(pod.owner.uid, pod.namespace);
  }
  for (const { owner, namespace } of begun.filter(isWaiting))
    owners.delete(`${namespace}/${owner}`);
  return [...owners.values()];
}

export async function hasAny(objects: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of objects) return true;
  return false;
}
