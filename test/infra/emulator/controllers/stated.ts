import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';

export const onSsd = {
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
};

export function podSpec(image: string) {
  return { terminationGracePeriodSeconds: 1, containers: [{ name: 'app', image }] };
}

export function podTemplate(app: string, image: string) {
  return { metadata: { labels: { app } }, spec: podSpec(image) };
}

export function jobTemplate(annotations: Readonly<Record<string, string>> = {}) {
  const spec = { ...podSpec('busybox'), restartPolicy: 'Never' };
  return { metadata: { annotations }, spec };
}

export function deploymentOf(app: string, { replicas }: { readonly replicas: number }) {
  const selector = { matchLabels: { app } };
  return { spec: { replicas, selector, template: podTemplate(app, 'nginx:1') } };
}

export function isRolledOut(replicas: number) {
  return ({ metadata, status }: Thing & { readonly status?: object }) => {
    const said: Readonly<Record<string, unknown>> = { ...status };
    return (
      said['observedGeneration'] === metadata.generation &&
      said['updatedReplicas'] === replicas &&
      said['availableReplicas'] === replicas &&
      said['replicas'] === replicas
    );
  };
}

export function allows(count: number) {
  return ({ status }: { readonly status?: { readonly disruptionsAllowed: number } }) =>
    status?.disruptionsAllowed === count;
}

export function hasEnded(type: string) {
  return ({
    status,
  }: {
    readonly status?: { readonly conditions?: readonly { type: string }[] };
  }) => status?.conditions?.some((each) => each.type === type) ?? false;
}

export function imageOf({ spec }: Pod): string | undefined {
  return spec.containers[0]?.image;
}

export function isAlive({ metadata }: Thing): boolean {
  return metadata.deletionTimestamp === undefined;
}

export function owned(...owners: readonly KubeObject[]) {
  const ownerReferences = owners.map(({ apiVersion, kind, metadata: { name = '', uid = '' } }) => {
    return { apiVersion, kind, name, uid };
  });
  return { metadata: { ownerReferences } };
}
