import type { PodSpec, PodTemplate, Toleration } from '../shapes/pod.ts';

const stands = (key: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect,
});

/** A daemon belongs to its node, whatever becomes of the node. */
const always: readonly Toleration[] = [
  stands('not-ready', 'NoExecute'),
  stands('unreachable', 'NoExecute'),
  stands('disk-pressure', 'NoSchedule'),
  stands('memory-pressure', 'NoSchedule'),
  stands('pid-pressure', 'NoSchedule'),
  stands('unschedulable', 'NoSchedule'),
];

export function daemonTolerations({ spec }: PodTemplate): readonly Toleration[] {
  const network = spec.hostNetwork === true ? [stands('network-unavailable', 'NoSchedule')] : [];
  const [stated, own] = [spec.tolerations ?? [], [...always, ...network]];
  return [
    ...stated.map((each) => own.find((one) => isAlike(one, each)) ?? each),
    ...own.filter((one) => !stated.some((each) => isAlike(one, each))),
  ];
}

/** But for how long. */
function isAlike(one: Toleration, other: Toleration): boolean {
  return (['key', 'operator', 'value', 'effect'] as const).every(
    (field) => one[field] === other[field],
  );
}

/** The scheduler places it, and has one node to choose from. */
export function forNode(spec: PodSpec, node: string, template: PodTemplate): PodSpec {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }] as const;
  const nodeAffinity = {
    ...spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
  };
  const affinity = { ...spec.affinity, nodeAffinity };
  return { ...spec, affinity, tolerations: daemonTolerations(template) };
}

/** Where a pod of the set runs, or is meant to. */
export function nodeOf(spec: PodSpec): string | undefined {
  if (spec.nodeName !== undefined) return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0];
}
