import type { JsonObject } from '#shared/domain/json.ts';

export type Kind = {
  readonly kind: string;
  readonly apiVersion: string;
  readonly resource: string;
  /** What its schema is called; none for the custom kind. */
  readonly schema?: string;
  readonly definition?: JsonObject;
};

const group = 'patching.gatehouse.example';

const spec = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    mode: { type: 'string', default: 'soft' },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: {
          port: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
          name: { type: 'string' },
        },
      },
    },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    args: { type: 'array', items: { type: 'string' } },
    whole: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    parts: { type: 'object', additionalProperties: { type: 'string' } },
    limit: { 'x-kubernetes-int-or-string': true },
  },
} as const;

export const schemaOfWidgets = {
  type: 'object',
  properties: {
    spec,
    status: {
      type: 'object',
      properties: { phase: { type: 'string' }, seen: { type: 'integer' } },
    },
  },
} as const;

export const widgets: Kind = {
  kind: 'Widget',
  apiVersion: `${group}/v1`,
  resource: 'widgets',
  definition: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schemaOfWidgets },
        },
      ],
    },
  },
};

export const kinds: readonly Kind[] = [
  {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    resource: 'configmaps',
    schema: 'io.k8s.api.core.v1.ConfigMap',
  },
  {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    resource: 'deployments',
    schema: 'io.k8s.api.apps.v1.Deployment',
  },
  { kind: 'Service', apiVersion: 'v1', resource: 'services', schema: 'io.k8s.api.core.v1.Service' },
  { kind: 'Pod', apiVersion: 'v1', resource: 'pods', schema: 'io.k8s.api.core.v1.Pod' },
  widgets,
];

export function pathOf({ apiVersion, resource }: Kind, namespace: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/namespaces/${namespace}/${resource}`;
}
