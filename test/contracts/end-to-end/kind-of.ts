import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';

/** By the English plural, which all that we render have. */
export function kindOf({ apiVersion, kind, metadata }: KubeObject): Kind {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const singular = kind.toLowerCase();
  const resource = `${singular.replace(/y$/, 'ie').replace(/s$/, 'se')}s`;
  return { group, version, kind, resource, namespaced: metadata.namespace !== undefined };
}
