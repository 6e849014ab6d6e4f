import { apiVersion, configMaps, type Kind, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster, ListOptions, Target, Write } from '#shared/ports.ts';

/** A cluster, and a namespace in it that nobody else uses. */
export type Place = { readonly cluster: Cluster; readonly namespace: string };
export type Open = () => Promise<Place>;

export const budgets: Kind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  resource: 'poddisruptionbudgets',
  namespaced: true,
};

export function configMap(
  { namespace }: Pick<Place, 'namespace'>,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): KubeObject {
  const { metadata, ...rest } = more;
  const named = { name, namespace, ...(metadata as object | undefined) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: named, ...rest } as KubeObject;
}

export function pod({ namespace }: Pick<Place, 'namespace'>, name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      containers: [
        { name: 'web', image: 'registry.example/web:1' },
        { name: 'log', image: 'registry.example/log:1' },
      ],
    },
  };
}

export function budget({ namespace }: Pick<Place, 'namespace'>, app: string): KubeObject {
  return {
    apiVersion: apiVersion(budgets),
    kind: budgets.kind,
    metadata: { name: `budget-of-${app}`, namespace },
    spec: { minAvailable: 1, selector: { matchLabels: { app } } },
  };
}

export function mapIn({ namespace }: Place, name: string): Target {
  return { kind: configMaps, namespace, name };
}

export function podIn({ namespace }: Place, name: string, subresource?: string): Target {
  return { kind: pods, namespace, name, subresource };
}

/** The object that a write has written; anything else ends the test. */
export function objectOf(write: Write): KubeObject {
  if (write.kind !== 'written') throw new Error(`not written: ${JSON.stringify(write)}`);
  return write.object;
}

export async function made({ cluster }: Place, kind: Kind, object: KubeObject) {
  return objectOf(await cluster.create(kind, object));
}

export async function namesIn(
  { cluster, namespace }: Place,
  options: ListOptions = {},
  kind: Kind = configMaps,
): Promise<readonly (string | undefined)[]> {
  const names: (string | undefined)[] = [];
  for await (const { metadata } of cluster.list(kind, { namespace, ...options })) {
    // The real server puts a CA into every namespace when its controller manager runs.
    if (metadata.name !== 'kube-root-ca.crt') names.push(metadata.name);
  }
  return names;
}
