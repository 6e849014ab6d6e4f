import { namespaces, nodes } from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';
import { objectOf } from './place.ts';

type Labelled = {
  readonly kind: 'Namespace' | 'Node';
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
};

/** Makes the object, or gives the one that is there these labels. */
export async function labelled(
  cluster: Cluster,
  { kind, name, labels: stated }: Labelled,
): Promise<void> {
  // The real server labels a namespace with its name, whatever is asked for.
  const own = kind === 'Namespace' ? { 'kubernetes.io/metadata.name': name } : {};
  const object = { apiVersion: 'v1', kind, metadata: { name, labels: { ...stated, ...own } } };
  const target = { kind: kind === 'Node' ? nodes : namespaces, name };
  objectOf(await cluster.apply(target, object, { fieldManager: 'contract', force: true }));
}
