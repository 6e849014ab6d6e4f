import type { KubeObject } from '../../kube-object.ts';
import type { Namespace } from '../../namespace.ts';
import { type Drawn, lineAmong } from './campaign.ts';
import type { House } from './house.ts';
import { housedPod } from './housed-pod.ts';
import { type Looked, type Looking, lookAt } from './look-at-pods.ts';

export function lookingIn(house: House, namespace: Looking['wanted']['namespace']): Looking {
  const { configuration, trustBundle, policy } = house;
  return { wanted: { configuration, trustBundle, namespace }, policy };
}

/** One that cannot be judged costs nobody but itself. */
export type Unjudged = {
  readonly kind: 'unjudged';
  readonly namespace: Namespace;
  readonly pod: string;
  readonly why: string;
};

export type Placed =
  | { readonly kind: 'looked'; readonly namespace: Namespace; readonly looked: Looked }
  | Unjudged;

/** All pods, page by page. Of a namespace that nobody finds nothing is known: its pods are passed over. */
export async function* lookOver(
  pods: AsyncIterable<KubeObject>,
  house: House,
  findNamespace: (name: string) => Promise<Namespace | undefined>,
): AsyncGenerator<Placed> {
  const places = new Map<string, Namespace | undefined>();
  for await (const object of pods) {
    const { namespace: name = '' } = object.metadata;
    if (!places.has(name)) places.set(name, await findNamespace(name));
    const namespace = places.get(name);
    if (namespace === undefined) continue;
    const found = lookOrTell(object, lookingIn(house, namespace));
    if (found !== undefined) yield { ...found, namespace };
  }
}

/** Whoever may write pods may write what nobody has thought of. */
function lookOrTell(object: KubeObject, looking: Looking) {
  try {
    const pod = housedPod(object);
    return pod && { kind: 'looked' as const, looked: lookAt(pod, looking) };
  } catch (cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return { kind: 'unjudged' as const, pod: object.metadata.name ?? '', why };
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

export type Found = {
  readonly owners: readonly Whose[];
  readonly unjudged: readonly Unjudged[];
};

/**
 * Those that have a pod which could be restarted, and those of which something was begun, each once in its namespace; whose
 * turn is kept comes then.
 */
export async function ownersIn(
  placed: AsyncIterable<Placed>,
  begun: readonly Drawn[],
): Promise<Found> {
  const unjudged: Unjudged[] = [];
  const owners = new Map<string, Whose>();
  const add = (uid: string, namespace: string) =>
    owners.set(`${namespace}/${uid}`, { uid, namespace });
  for (const { owner, namespace } of begun) add(owner, namespace);
  for await (const each of placed) {
    if (each.kind === 'unjudged') {
      unjudged.push(each);
      continue;
    }
    const { pod, reason, excuse } = each.looked;
    if (pod.owner === undefined || reason === undefined || excuse !== undefined) continue;
    add(pod.owner.uid, pod.namespace);
  }
  for (const { uid, namespace } of lineAmong(begun)) owners.delete(`${namespace}/${uid}`);
  return { owners: [...owners.values()], unjudged };
}

export async function hasAny(objects: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of objects) return true;
  return false;
}
