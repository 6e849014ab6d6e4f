import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Listed, Scope } from '#shared/domain/watched.ts';
import { type ClusterState, isOf } from './state.ts';

export function isSelected(object: KubeObject, { labels, namespace }: Scope): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  return labels === undefined || object.metadata.labels?.['tier'] === 'web';
}

/** In the order of their names, as etcd has them. */
export function objectsOf(
  objects: ReadonlyMap<string, KubeObject>,
  scope: Scope,
): readonly KubeObject[] {
  return [...objects]
    .filter(isOf(scope.kind.resource))
    .filter(([, object]) => isSelected(object, scope))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, object]) => object);
}

type Asked = { readonly limit: number; readonly continue?: string | undefined };

/** All pages of a list show the moment of the first: it is named in the `continue`. */
export function pageOf(state: ClusterState, scope: Scope, asked: Asked): Listed {
  const from = asked.continue ?? `${state.incarnation}/${state.revision}/0`;
  const [incarnation = 0, revision = 0, offset = 0] = from.split('/').map(Number);
  const objects = objectsAt(state, revision);
  if (incarnation !== state.incarnation || revision < state.compacted || objects === undefined) {
    return { kind: 'expired', why: 'the continue is too old' };
  }
  const all = objectsOf(objects, scope);
  const end = offset + asked.limit;
  return {
    kind: 'page',
    objects: all.slice(offset, end),
    resourceVersion: String(revision),
    continue: end < all.length ? `${incarnation}/${revision}/${end}` : undefined,
    bytes: 100,
  };
}

function objectsAt({ revision, objects, past }: ClusterState, wanted: number) {
  if (wanted === revision) return objects;
  return past.find((each) => each.revision === wanted)?.objects;
}
