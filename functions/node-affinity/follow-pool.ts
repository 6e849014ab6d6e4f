import { defineReconcile } from '#shared/define.ts';
import { nodes as kind } from '#shared/domain/kind.ts';
import { poolCondition, poolSelector } from '#shared/domain/node-affinity/pool.ts';
import { done } from '#shared/domain/outcome.ts';

/** Tells operators. `prefer-pool` asks for itself, so that no report stands between the pool and a pod. */
export default defineReconcile({
  name: 'follow-pool',
  capability: 'node-affinity',
  summary: 'Reports whether the worker pool that managed pods prefer has nodes.',
  // A node tells of itself all the time; what pool it is in its labels say.
  trigger: { watch: { of: kind, changed: ['/metadata/labels'] }, everySeconds: 10 },
  uses: ['settings', 'nodes', 'conditions'],
  deadlineMs: 5_000,
  async handler(_wake, { settings, nodes, conditions }) {
    const { nodeAffinity } = settings.current();
    const poolHasNodes =
      nodeAffinity.presence === 'assumed' ||
      (await nodes.list(poolSelector(nodeAffinity))).length > 0;
    conditions.report(poolCondition(nodeAffinity, poolHasNodes));
    return done;
  },
});
