import { namespaces as kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import type { LabelSelector } from '#shared/domain/selector.ts';
import type { Clock, Cluster, Namespaces } from '#shared/ports.ts';
import { freshCache } from './fresh-cache.ts';
import { nextRead } from './next-read.ts';

/** One that is not there may be made at any moment, and what is admitted into it then counts on its labels. */
const absenceLifeMs = 250;
const lifeMs = 1_000;

/** The live cluster, as it is when it is asked: thousands of runs at once ask it twice, of each name. */
export function liveNamespaces(cluster: Cluster): Namespaces {
  const find = nextRead((name) => named(cluster, name));
  const bySelector = nextRead((selector) => listed(cluster, selector));
  return { find, findLive: find, list: (selector) => bySelector(JSON.stringify(selector)) };
}

/** The live cluster, read at most about once a second for each name. */
export function openNamespaces(
  cluster: Cluster,
  { clock }: { readonly clock?: Clock } = {},
): Namespaces {
  const findLive = (name: string) => named(cluster, name);
  const byName = freshCache<Namespace | undefined>({
    load: findLive,
    lifeMs: (found) => (found === undefined ? absenceLifeMs : lifeMs),
    maxEntries: 10_000,
    clock,
  });
  const bySelector = freshCache<readonly Namespace[]>({
    load: (selector) => listed(cluster, selector),
    lifeMs: () => lifeMs,
    maxEntries: 64,
    clock,
  });

  return {
    find: (name) => byName.find(name),
    findLive,
    list: (selector) => bySelector.find(JSON.stringify(selector)),
  };
}

async function named(cluster: Cluster, name: string): Promise<Namespace | undefined> {
  const found = await cluster.find({ kind, name });
  return found && namespaceFrom(found);
}

async function listed(cluster: Cluster, selector: string): Promise<readonly Namespace[]> {
  const labels = JSON.parse(selector) as LabelSelector;
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
