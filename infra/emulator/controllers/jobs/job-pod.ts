import { podOf } from '../owning/pod-of.ts';
import type { Job } from '../shapes/batch.ts';
import type { Labels } from '../shapes/meta.ts';
import type { Container, PodSpec } from '../shapes/pod.ts';
import { tracking } from './count-pods.ts';
import { indexKey } from './indexes.ts';

/** `index` where each pod of the job has a part of its own; `counts` of how it has been tried before. */
export function jobPod(job: Job, index: number | undefined, counts: Labels = {}) {
  const { template } = job.spec;
  const finalizers = [tracking];
  if (index === undefined) return podOf({ owner: job, template, finalizers });
  const own = { [indexKey]: String(index) };
  return podOf({
    owner: job,
    template,
    finalizers,
    prefix: `${job.metadata.name}-${index}-`,
    labels: own,
    annotations: { ...own, ...counts },
    spec: (spec) => indexed(spec, `${job.metadata.name}-${index}`),
  });
}

function indexed(spec: PodSpec, hostname: string): PodSpec {
  return {
    ...spec,
    hostname,
    containers: spec.containers.map(withIndex),
    ...(spec.initContainers !== undefined && {
      initContainers: spec.initContainers.map(withIndex),
    }),
  };
}

const variable = 'JOB_COMPLETION_INDEX';

function withIndex(container: Container): Container {
  if (container.env?.some(({ name }) => name === variable)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${indexKey}']` };
  const stated = { name: variable, valueFrom: { fieldRef } };
  return { ...container, env: [...(container.env ?? []), stated] };
}
