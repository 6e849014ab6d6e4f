import { defineAdmission } from '#shared/define.ts';
import { newPod } from '#shared/domain/node-affinity/pod.ts';
import { poolSelector } from '#shared/domain/node-affinity/pool.ts';
import { preferPool } from '#shared/domain/node-affinity/prefer.ts';
import { managedByKyma } from '#shared/domain/node-affinity/settings.ts';

export default defineAdmission({
  name: 'prefer-pool',
  capability: 'node-affinity',
  summary: 'Lets managed pods prefer the nodes of a worker pool, as long as it has any.',
  phase: 'mutate',
  trigger: {
    resources: ['pods'],
    operations: ['CREATE'],
    namespaceSelector: { setting: 'nodeAffinity.namespaceSelector', fallback: managedByKyma },
  },
  schema: newPod,
  uses: ['settings', 'nodes'],
  deadlineMs: 2_000,
  onFailure: 'allow-with-warning',
  isRepeatable: true,
  replaces: {
    configuration: 'kim-snatch-mutating-webhook-configuration',
    webhook: 'mpod-v1.kb.io',
    service: 'kim-snatch-webhook-service',
    path: '/mutate--v1-pod',
  },
  // Answers at once where nobody need be asked: the loop then sets no timer.
  handler({ object, namespace }, { settings, nodes }) {
    const { nodeAffinity } = settings.current();
    const decide = (poolHasNodes: boolean) =>
      preferPool(object, nodeAffinity, { namespace, poolHasNodes });

    if (nodeAffinity.presence === 'assumed') return decide(true);
    return nodes.list(poolSelector(nodeAffinity)).then((found) => decide(found.length > 0));
  },
});
