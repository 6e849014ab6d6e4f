import { nodes as kind } from '#shared/domain/kind.ts';
import type { Node } from '#shared/domain/node.ts';
import type { LabelSelector } from '#shared/domain/selector.ts';
import type { Clock, Cluster, Nodes } from '#shared/ports.ts';
import { freshCache } from './fresh-cache.ts';

/** The live cluster, as it is when it is asked. */
export function liveNodes(cluster: Cluster): Nodes {
  return { list: (selector) => listed(cluster, selector) };
}

/** The live cluster, read at most about once a second for each selector; a node's status, the bulk of it, stays there. */
export function openNodes(cluster: Cluster, { clock }: { readonly clock?: Clock } = {}): Nodes {
  const live = liveNodes(cluster);
  const bySelector = freshCache<readonly Node[]>({
    load: (selector) => live.list(JSON.parse(selector) as LabelSelector),
    lifeMs: () => 1_000,
    maxEntries: 64,
    clock,
  });
  return { list: (selector) => bySelector.find(JSON.stringify(selector)) };
}

async function listed(cluster: Cluster, labels: LabelSelector): Promise<readonly Node[]> {
  const found: Node[] = [];
  for await (const { metadata } of cluster.list(kind, { labels, metadataOnly: true })) {
    found.push({ name: metadata.name ?? '', labels: metadata.labels ?? {} });
  }
  return found;
}
