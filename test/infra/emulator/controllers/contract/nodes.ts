import { expect, it } from 'vitest';
import { pods } from '#infra/emulator/controllers/shapes/kinds.ts';
import { nodes } from '#shared/domain/kind.ts';
import type { Kit } from '../kit.ts';
import { podSpec } from '../stated.ts';

/** With another node in the cluster: not beside cases that count them. */
export function nodeCases(kit: Kit): void {
  const { fresh, make } = kit;

  it('drive pods from a node that is tainted so, and leave a deleted node to itself', async () => {
    const namespace = await fresh();
    const name = `own-${namespace}`;
    const effect = 'NoExecute';
    const spec = { ...podSpec('a'), nodeName: name };
    const stands = { ...spec, tolerations: [{ operator: 'Exists' }] };
    await make(nodes, undefined, name, {});
    await make(pods, namespace, 'driven', { spec });
    await make(pods, namespace, 'stands', { spec: stands });
    await kit.merge(nodes, undefined, name, { spec: { taints: [{ key: 'gone', effect }] } });
    await kit.seen(pods, namespace, 'driven', ({ metadata }) => {
      return metadata.deletionTimestamp !== undefined;
    });
    const left = await kit.cluster.find({ kind: pods, namespace, name: 'stands' });
    expect(left?.metadata['deletionTimestamp']).toBeUndefined();
    // Nobody runs that node: with it gone, nobody ends the pod but the kubelet's neighbour.
    await kit.cluster.delete({ kind: nodes, name });
    await kit.gone({ kind: pods, namespace, name: 'driven' });
  });
}
