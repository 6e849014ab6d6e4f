import { defineReconcile } from '#shared/define.ts';
import { namespaces as namespaceKind, pods } from '#shared/domain/kind.ts';
import { poolSelector } from '#shared/domain/node-affinity/pool.ts';
import type { NodeAffinitySettings } from '#shared/domain/node-affinity/settings.ts';
import { type Finding, strayNote, straysAmong } from '#shared/domain/node-affinity/strays.ts';
import { done } from '#shared/domain/outcome.ts';

const measure = 'node_affinity_strays';

export default defineReconcile({
  name: 'report-strays',
  capability: 'node-affinity',
  summary:
    'Reports managed pods that run outside the worker pool: a measure, and one Event a namespace.',
  trigger: { everySeconds: 60 },
  uses: ['settings', 'nodes', 'namespaces', 'cluster', 'measures', 'events'],
  access: [{ kind: pods, verbs: ['list'] }],
  deadlineMs: 50_000,
  async handler(_wake, { settings, nodes, namespaces, cluster, measures, events }) {
    const { nodeAffinity } = settings.current();
    const { excludedNamespaces, namespaceSelector } = nodeAffinity;
    const found = await nodes.list(poolSelector(nodeAffinity));
    const pool = { settings: nodeAffinity, nodes: new Set(found.map(({ name }) => name)) };
    // While the pool has no node, nobody prefers it, and nothing can stray from it.
    const managed = found.length === 0 ? [] : await namespaces.list(namespaceSelector);

    const findings: Finding[] = [];
    for (const namespace of managed.filter(({ name }) => !excludedNamespaces.includes(name))) {
      const running = { namespace: namespace.name, fields: 'status.phase=Running' };
      findings.push({ namespace, strays: await straysAmong(cluster.list(pods, running), pool) });
    }

    measures.report(measure, findings.map(measureOf));
    for (const finding of findings.filter(({ strays }) => strays.count > 0)) {
      await events.report(eventOf(finding, nodeAffinity));
    }
    return done;
  },
});

function measureOf({ namespace, strays }: Finding) {
  return { labels: { namespace: namespace.name }, value: strays.count };
}

function eventOf({ namespace, strays }: Finding, settings: NodeAffinitySettings) {
  return {
    regarding: { kind: namespaceKind, name: namespace.name, uid: namespace.uid },
    type: 'Warning' as const,
    reason: 'PodsOutsideNodePool',
    note: strayNote(strays, settings),
  };
}
