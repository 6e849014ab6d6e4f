import { nodes as kind } from '#shared/domain/kind.ts';
import type { Node } from '#shared/domain/node.ts';
import type { LabelSelector } from '#shared/domain/selector.ts';
import type { Clock, Cluster, Nodes } from '#shared/ports.ts';
import { freshCache } from './fresh-cache.ts';
import { nextRead } from './next-read.ts';

/** The live cluster, as it is when it is asked: thousands of runs at once list it twice. */
export function liveNodes(cluster: Cluster): Nodes {
  const bySelector = nextRead((selector) => listed(cluster, selector));
  return { list: (selector) => bySelector(JSON.stringify(selector)) };
}

/** The live cluster, read at most about once a second for each selector; a node's status, the bulk of it, stays there. */
export function openNodes(cluster: Cluster, { clock }: { readonly clock?: Clock } = {}): Nodes {
  const bySelector = freshCache<readonly Node[]>({
    load: (selector) => listed(cluster, selector),
    lifeMs: () => 1_000,
    maxEntries: 64,
    clock,
  });
  return { list: (selector) => bySelector.find(JSON.stringify(selector)) };
}

async function listed(cluster: Cluster, selector: string): Promise<readonly Node[]> {
  const labels = JSON.parse(selector) as LabelSelector;
  const found: Node[] = [];
  for await (const { metadata } of cluster.list(kind, { labels, metadataOnly: true })) {
    found.push({ name: metadata.name ?? '', labels: metadata.labels ?? {} });
  }
  return found;
}
