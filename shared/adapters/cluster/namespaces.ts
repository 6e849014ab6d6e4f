import { namespaces as kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import type { LabelSelector } from '#shared/domain/selector.ts';
import type { Clock, Cluster, Namespaces } from '#shared/ports.ts';
import { freshCache } from './fresh-cache.ts';

/** One that is not there may be made at any moment, and what is admitted into it then counts on its labels. */
const absenceLifeMs = 250;
const lifeMs = 1_000;

/** The live cluster, as it is when it is asked. */
export function liveNamespaces(cluster: Cluster): Namespaces {
  const find = async (name: string) => {
    const found = await cluster.find({ kind, name });
    return found && namespaceFrom(found);
  };
  return { find, findLive: find, list: (selector) => listed(cluster, selector) };
}

/** The live cluster, read at most about once a second for each name. */
export function openNamespaces(
  cluster: Cluster,
  { clock }: { readonly clock?: Clock } = {},
): Namespaces {
  const live = liveNamespaces(cluster);
  const byName = freshCache<Namespace | undefined>({
    load: live.find,
    lifeMs: (found) => (found === undefined ? absenceLifeMs : lifeMs),
    maxEntries: 10_000,
    clock,
  });
  const bySelector = freshCache<readonly Namespace[]>({
    load: (selector) => live.list(JSON.parse(selector) as LabelSelector),
    lifeMs: () => lifeMs,
    maxEntries: 64,
    clock,
  });

  return {
    find: (name) => byName.find(name),
    findLive: live.findLive,
    list: (selector) => bySelector.find(JSON.stringify(selector)),
  };
}

async function listed(cluster: Cluster, labels: LabelSelector): Promise<readonly Namespace[]> {
  const found: Namespace[] = [];
  for await (const object of cluster.list(kind, { labels, metadataOnly: true })) {
    found.push(namespaceFrom(object));
  }
  return found;
}

function namespaceFrom({ metadata }: KubeObject): Namespace {
  const { name = '', uid = '', labels = {}, annotations = {} } = metadata;
  return { name, uid, labels, annotations };
}
