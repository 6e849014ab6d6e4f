import type { Kind } from '#shared/domain/kind.ts';
import type { Target } from '#shared/ports.ts';

/** A missing namespace would silently become a read or a write of another kind of thing. */
export function scoped(target: Target): Target {
  const { kind, namespace } = target;
  if (kind.namespaced && !namespace) throw new Error(`${kind.resource} are named with a namespace`);
  if (!kind.namespaced && namespace) throw new Error(`${kind.resource} have no namespace`);
  return target;
}

export function collectionPath(kind: Kind, namespace?: string): string {
  const root = kind.group === '' ? '/api' : `/apis/${kind.group}`;
  const inside = kind.namespaced && namespace ? `/namespaces/${segment(namespace)}` : '';
  return `${root}/${kind.version}${inside}/${kind.resource}`;
}

export function objectPath(target: Target, subresource = target.subresource): string {
  const { kind, namespace, name } = scoped(target);
  if (name === '') throw new Error(`one of the ${kind.resource} is meant, but none is named`);
  const below = subresource === undefined ? '' : `/${segment(subresource)}`;
  return `${collectionPath(kind, namespace)}/${segment(name)}${below}`;
}

/** A name with a slash or two dots would be a path to something else. */
function segment(name: string): string {
  if (name === '.' || name === '..') throw new Error(`"${name}" names nothing`);
  return encodeURIComponent(name);
}

/** For errors and logs: `pods/status team-a/web`. */
export function wordsFor({ kind, namespace, name, subresource }: Target): string {
  const what = subresource === undefined ? kind.resource : `${kind.resource}/${subresource}`;
  return `${what} ${namespace ? `${namespace}/` : ''}${name}`;
}
