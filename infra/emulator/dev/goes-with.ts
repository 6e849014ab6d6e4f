import { isJsonObject } from '#shared/domain/json.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import { definedBy } from '../world/known-kinds.ts';

/** Whoever holds what would go with it, and nobody would make again, stays. */
export async function refuseHolder(live: KubeObject, cluster: Cluster): Promise<void> {
  for await (const { kind, metadata } of heldBy(live, cluster)) {
    const { namespace, name } = metadata;
    const held = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    throw new Error(
      `${live.kind} ${live.metadata.name} was left as it is: ${held} is there, which would go with it`,
    );
  }
}

async function* heldBy(live: KubeObject, cluster: Cluster): AsyncIterable<KubeObject> {
  const defined = definedBy(live);
  if (defined !== undefined) yield* cluster.list(defined);
  if (live.kind !== 'Node') return;
  for await (const pod of cluster.list(pods)) {
    const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
    if (spec['nodeName'] === live.metadata.name) yield pod;
  }
}
