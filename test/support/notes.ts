import { configMaps as kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import type { Message } from '#shared/runtime/wake.ts';
import { mapChanged } from './running.ts';

/** A ConfigMap that `copy-note` is woken by, and the message that does it. */
export async function writeNote(cluster: Cluster, namespace: string, name: string) {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { note: 'grüß' },
  };
  const write = await cluster.create(kind, {
    ...object,
    metadata: { name, namespace },
  });
  if (write.kind !== 'written') throw new Error(`no note: ${write.kind}`);
  const { uid = '' } = write.object.metadata;
  const message: Message = {
    id: `${uid}/1/added`,
    type: 'object.changed.v1',
    data: mapChanged({ namespace, name, uid }),
  };
  return { message, find: () => cluster.find({ kind, namespace, name }) };
}

/** What was written, without what differs between any two objects. */
export function written(found: KubeObject | undefined): unknown {
  const { annotations, labels } = found?.metadata ?? {};
  return { annotations, labels, data: found?.['data'] };
}
