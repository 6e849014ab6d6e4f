import { anyObject, type Decoded, decode, flag, list, optional, record, text } from '../decode.ts';
import type { Namespace } from '../namespace.ts';
import { fixesPool, isOptedOut, placedSpec } from './pod.ts';
import type { NodeAffinitySettings } from './settings.ts';

const runningPod = record({
  metadata: record({
    name: text,
    annotations: optional(anyObject),
    deletionTimestamp: optional(text, ''),
    ownerReferences: optional(list(record({ kind: text, controller: optional(flag, false) })), []),
  }),
  spec: placedSpec,
});

type RunningPod = Decoded<typeof runningPod>;

/** The strays of one namespace. As many as may be are counted, but only the first are named. */
export type Strays = { readonly count: number; readonly names: readonly string[] };

export type Finding = { readonly namespace: Namespace; readonly strays: Strays };

const none: Strays = { count: 0, names: [] };

const namedAtMost = 5;

export type Pool = {
  readonly settings: NodeAffinitySettings;
  /** The names of its nodes. */
  readonly nodes: ReadonlySet<string>;
};

/** Page by page: nothing but the count and a few names is kept. */
export async function straysAmong(pods: AsyncIterable<unknown>, pool: Pool): Promise<Strays> {
  let strays = none;
  for await (const pod of pods) strays = counted(strays, pod, pool);
  return strays;
}

/** A pod that cannot be read is none: the next version of the API must not raise an alarm. */
function counted({ count, names }: Strays, pod: unknown, pool: Pool): Strays {
  const decoded = decode(runningPod, pod);
  if (!decoded.ok || !isStray(decoded.value, pool)) return { count, names };

  const { name } = decoded.value.metadata;
  return { count: count + 1, names: count < namedAtMost ? [...names, name] : names };
}

/** Whether it would run in the pool if only it were made anew now. */
function isStray({ metadata, spec }: RunningPod, { settings, nodes }: Pool): boolean {
  return (
    spec.nodeName !== '' &&
    !nodes.has(spec.nodeName) &&
    metadata.deletionTimestamp === '' &&
    !isBoundToItsNode(metadata) &&
    !fixesPool(spec, settings.labelKey) &&
    !isOptedOut(metadata.annotations, settings.optOutAnnotation)
  );
}

/** One a node by intent: a DaemonSet's, and the mirror of a pod that the kubelet has from a file. */
function isBoundToItsNode({ ownerReferences }: RunningPod['metadata']): boolean {
  return ownerReferences.some(
    ({ kind, controller }) => controller && (kind === 'DaemonSet' || kind === 'Node'),
  );
}

export function strayNote({ count, names }: Strays, { pools }: NodeAffinitySettings): string {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  const run = count === 1 ? 'pod runs' : 'pods run';
  return `${count} managed ${run} outside the node pool ${pools.join(', ')}: ${names.join(', ')}${more}. A running pod is never moved; made anew, it prefers the pool.`;
}
