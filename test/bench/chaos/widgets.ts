import { customKinds } from '#infra/emulator/cluster/served-kinds.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { Writes } from './traffic.ts';

type Written = { readonly objects: Writes };

export const widgets: Kind = {
  group: 'chaos.example',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
  namespaced: true,
};

/** The kind that comes and goes. */
export function serveWidgets({ objects }: Written): void {
  const { group, version, kind, resource: plural } = widgets;
  objects.create(definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  });
}

export function withdrawWidgets({ objects }: Written): void {
  objects.delete(definitions, { name: `${widgets.resource}.${widgets.group}` });
}

const schema = {
  openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

const { group, resource, kind } = customKinds;
const definitions = { group, resource, kind, version: 'v1', namespaced: false };
