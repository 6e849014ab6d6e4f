import type { Meta } from '#infra/emulator/controllers/shapes/meta.ts';
import type { Pod, PodSpec, PodStatus } from '#infra/emulator/controllers/shapes/pod.ts';
import type { Node } from '#infra/emulator/controllers/shapes/surroundings.ts';
import type { Deployment, ReplicaSet } from '#infra/emulator/controllers/shapes/workload.ts';

export const now = new Date('2030-01-01T00:10:00Z');

export function metaOf(name: string, more: Partial<Meta> = {}): Meta {
  const creationTimestamp = '2030-01-01T00:00:00Z';
  return {
    ...{ name, namespace: 'team', uid: `uid-${name}`, resourceVersion: '1', generation: 1 },
    creationTimestamp,
    ...more,
  };
}

type PodParts = {
  readonly metadata?: Partial<Meta>;
  readonly spec?: Partial<PodSpec>;
  readonly status?: PodStatus;
};

export function pod(name: string, { metadata, spec, status }: PodParts = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metaOf(name, metadata),
    spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
    ...(status !== undefined && { status }),
  };
}

export const ready: PodStatus = {
  phase: 'Running',
  podIP: '10.0.0.1',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2030-01-01T00:09:50Z' }],
};

export const unready: PodStatus = {
  phase: 'Running',
  podIP: '10.0.0.2',
  conditions: [{ type: 'Ready', status: 'False' }],
};

export function ended(phase: 'Succeeded' | 'Failed', exitCode = 0): PodStatus {
  const state = { terminated: { exitCode, reason: 'Completed' } };
  const image = { image: 'app:1', imageID: '' };
  const container = { name: 'app', ...image, ready: false, restartCount: 0, state };
  return { phase, containerStatuses: [container] };
}

export function node(name: string, more: Partial<Pick<Node, 'spec' | 'status'>> = {}): Node {
  const labels = { 'kubernetes.io/hostname': name };
  return { apiVersion: 'v1', kind: 'Node', metadata: metaOf(name, { labels }), ...more };
}

export function deployment(spec: Partial<Deployment['spec']> = {}): Deployment {
  const labels = { app: 'web' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metaOf('web'),
    spec: {
      replicas: 4,
      selector: { matchLabels: labels },
      template: templateOf('app:2'),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      ...spec,
    },
  };
}

export function templateOf(image: string) {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image }] } };
}

type Sized = { readonly replicas: number; readonly available?: number; readonly desired?: number };

/** A set of the deployment above; `app:2` is its present image. */
export function set(
  image: string,
  { replicas, available = replicas, desired = 4 }: Sized,
): ReplicaSet {
  const name = `web-${image.replace(':', '-')}`;
  const annotations = {
    'deployment.kubernetes.io/desired-replicas': String(desired),
    'deployment.kubernetes.io/max-replicas': String(desired + 1),
    'deployment.kubernetes.io/revision': image.slice(-1),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: metaOf(name, { annotations }),
    spec: { replicas, selector: {}, template: templateOf(image) },
    status: { replicas, availableReplicas: available, observedGeneration: 1 },
  };
}
