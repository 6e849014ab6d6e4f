import { randomBytes } from 'node:crypto';
import { namespaces } from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';

/** Nobody ends namespaces without a controller manager, so each test has one of its own and leaves it. */
export async function freshNamespace(
  cluster: Cluster,
  labels: Readonly<Record<string, string>> = {},
): Promise<string> {
  const name = `test-${randomBytes(4).toString('hex')}`;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
  const write = await cluster.create(namespaces, object);
  if (write.kind !== 'written') throw new Error(`no namespace: ${write.kind}`);
  return name;
}
