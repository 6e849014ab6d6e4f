import type { JsonObject } from '#shared/domain/json.ts';
import type { Kind } from '#shared/domain/kind.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Row } from '#shared/domain/mirrored.ts';

export const deployments: Kind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  resource: 'deployments',
  namespaced: true,
};

export type Stated = {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly version?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
};

/** A pod of team-a called web, unless something else is said. */
export function pod(stated: Stated = {}): KubeObject {
  const { name = 'web', namespace = 'team-a', uid = 'u1', version = 1, labels, spec = {} } = stated;
  return {
    apiVersion: 'v1',
    kind: pods.kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: String(version),
      ...(labels === undefined ? {} : { labels }),
      ...stated.metadata,
    },
    spec,
  };
}

export function row(stated: Stated & Partial<Row> = {}): Row {
  const object = pod(stated);
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = object.metadata;
  const { epoch = 1, generation = 1, isDeleted = false, keys = [] } = stated;
  return { uid, name, namespace, resourceVersion, object, epoch, generation, isDeleted, keys };
}
