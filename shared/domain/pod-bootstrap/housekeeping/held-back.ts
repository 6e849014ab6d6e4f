import { isJsonObject, type JsonObject } from '../../json.ts';
import type { KubeObject } from '../../kube-object.ts';
import { type Heard, partOf } from './desired-pods.ts';
import type { Excuse } from './excuse.ts';
import type { HousedPod } from './housed-pod.ts';
import type { Seen } from './plan-owner.ts';

/** What only the owner can say of its pods; nothing where nobody has asked it. */
export function excusedBy<S extends Seen>(
  heard: Heard | undefined,
  pods: readonly S[],
): readonly S[] {
  if (heard === undefined) return pods;
  return pods.map((each) => ({ ...each, excuse: each.excuse ?? excuseBy(heard, each.pod) }));
}

/** Pods of an older template that wait for somebody to delete them are not rolled by us. */
function excuseBy({ owner, desired }: Heard, pod: HousedPod): Excuse | undefined {
  if (desired === 'gone') return 'orphan';
  return isHeldBack(pod, owner) ? 'on-delete' : undefined;
}

/** Of which template a pod is cannot be told where one side does not say it: then it waits as well. */
function isHeldBack({ boot }: HousedPod, owner: KubeObject | undefined): boolean {
  const strategy = partOf(owner, 'spec')['updateStrategy'];
  if (!isJsonObject(strategy) || strategy['type'] !== 'OnDelete') return false;
  return !newestOf(owner).some((newest) => isOf(newest, boot.metadata.labels));
}

type Newest = { readonly label: string; readonly value: unknown };

/** A StatefulSet says it by a revision, a DaemonSet by a generation. */
function newestOf(owner: KubeObject | undefined): readonly Newest[] {
  const generation = owner?.metadata.annotations?.['deprecated.daemonset.template.generation'];
  return [
    { label: 'controller-revision-hash', value: partOf(owner, 'status')['updateRevision'] },
    { label: 'pod-template-generation', value: generation },
  ];
}

function isOf({ label, value }: Newest, labels: JsonObject): boolean {
  return typeof value === 'string' && labels[label] === value;
}
