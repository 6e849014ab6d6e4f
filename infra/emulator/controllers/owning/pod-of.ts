import type { Labels, Thing } from '../shapes/meta.ts';
import type { PodSpec, PodTemplate } from '../shapes/pod.ts';
import { ownerReference } from './claim.ts';

export type Making = {
  readonly owner: Thing;
  readonly template: PodTemplate;
  /** Instead of one that the server makes up. */
  readonly name?: string;
  /** Of the one that the server makes up, or would. */
  readonly prefix?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly finalizers?: readonly string[];
  spec?(spec: PodSpec): PodSpec;
};

/** A pod as its owner's template has it. */
export function podOf({ owner, template, spec = same, ...own }: Making) {
  const { labels, annotations, finalizers = [] } = template.metadata ?? {};
  const kept = [...finalizers, ...(own.finalizers ?? [])];
  return {
    metadata: {
      namespace: owner.metadata.namespace ?? '',
      generateName: own.prefix ?? prefixOf(owner),
      ...(own.name !== undefined && { name: own.name }),
      labels: { ...labels, ...own.labels },
      annotations: { ...annotations, ...own.annotations },
      ...(kept.length > 0 && { finalizers: kept }),
      ownerReferences: [ownerReference(owner)],
    },
    spec: spec(template.spec),
  };
}

function same(spec: PodSpec): PodSpec {
  return spec;
}

/** The server cuts it where it would be too long. */
function prefixOf({ metadata }: Thing): string {
  return `${metadata.name}-`;
}
