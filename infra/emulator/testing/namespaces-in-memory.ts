import type { Namespace } from '#shared/domain/namespace.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import type { Namespaces } from '#shared/ports.ts';

export type NamespacesInMemory = Namespaces & {
  put(namespace: NamespaceStated): void;
  remove(name: string): void;
};

export type NamespaceStated = Pick<Namespace, 'name'> & Partial<Namespace>;

export function namespacesInMemory(...stated: readonly NamespaceStated[]): NamespacesInMemory {
  const stored = new Map<string, Namespace>();
  const put = (namespace: NamespaceStated) => {
    stored.set(namespace.name, completed(namespace));
  };
  for (const namespace of stated) put(namespace);

  const find = async (name: string) => stored.get(name);
  return {
    put,
    remove(name) {
      stored.delete(name);
    },
    find,
    findLive: find,
    list: async (selector) =>
      [...stored.values()].filter(({ labels }) => matchesLabels(selector, labels)),
  };
}

/** The API server puts this label on every namespace. */
function completed({ name, uid, labels, annotations }: NamespaceStated): Namespace {
  return {
    name,
    uid: uid ?? `uid-of-${name}`,
    labels: { 'kubernetes.io/metadata.name': name, ...labels },
    annotations: annotations ?? {},
  };
}
