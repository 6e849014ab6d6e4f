import type { Admitting } from '#infra/emulator/cluster/parts.ts';
import { builtIn, type ServedKind } from '#infra/emulator/cluster/served-kinds.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { configMaps, namespaces, pods } from '#shared/domain/kind.ts';

export const podKind = builtIn(pods);
export const mapKind = builtIn(configMaps);
export const namespaceKind = builtIn(namespaces);

export function namespace(name: string, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, ...more },
    status: { phase: 'Active' },
  };
}

export function configMap(metadata: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', namespace: 'home', ...metadata },
    ...more,
  };
}

export function pod(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'home', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  };
}

/** A create of that object, unless something else is said. */
export function admitting(
  kind: ServedKind,
  object: JsonObject | undefined,
  more: Partial<Admitting> = {},
): Admitting {
  const { name = '' } = (object?.['metadata'] ?? {}) as { name?: string };
  return {
    kind,
    version: kind.versions[0],
    subresource: undefined,
    operation: 'CREATE',
    namespace: kind.namespaced ? 'home' : undefined,
    name,
    object,
    before: undefined,
    options: {},
    user: {
      name: 'alice',
      uid: 'u1',
      groups: ['team', 'system:authenticated'],
      extra: { a: ['b'] },
    },
    dryRun: false,
    defaulted: (each) => each,
    ...more,
  };
}

/** One of either phase; the rule takes config maps. */
export function configuration(
  phase: 'Mutating' | 'Validating',
  name: string,
  ...webhooks: readonly JsonObject[]
): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${phase}WebhookConfiguration`,
    metadata: { name },
    webhooks: webhooks.map((webhook) => ({
      name: `${name}.example.com`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] },
      ],
      ...webhook,
    })),
  };
}
