import type { Condition } from '../condition.ts';
import type { LabelSelector } from '../selector.ts';
import type { NodeAffinitySettings } from './settings.ts';

/** The nodes of the pool. Whether they are ready is the scheduler's business. */
export function poolSelector({
  labelKey,
  pools,
}: Pick<NodeAffinitySettings, 'labelKey' | 'pools'>): LabelSelector {
  return { matchExpressions: [{ key: labelKey, operator: 'In', values: pools }] };
}

/** The text holds no count: a pool that grows is no news. */
export function poolCondition(settings: NodeAffinitySettings, poolHasNodes: boolean): Condition {
  const { labelKey, pools } = settings;
  const pool = `${pools.join(', ')} (label ${labelKey})`;
  return {
    name: 'node-pool',
    holds: poolHasNodes,
    why: poolHasNodes
      ? `managed pods prefer the node pool ${pool}`
      : `the node pool ${pool} has no node, so that managed pods are left as they are: add a node to it, or name another pool in nodeAffinity.pools`,
  };
}
