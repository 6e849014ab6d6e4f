import { namespaces as kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Namespace } from '#shared/domain/namespace.ts';
import type { LabelSelector } from '#shared/domain/selector.ts';
import type { Mirror, Namespaces } from '#shared/ports.ts';
import { type BoundedReads, boundedReads } from './bounded.ts';
import type { FollowedReads } from './followed-reads.ts';
import type { Heard } from './heard.ts';
import { heardCache } from './heard-cache.ts';

const maxEntries = 10_000;

type Sources = {
  readonly mirror: Mirror;
  readonly heard: Heard;
  /** Asked about what the mirror has not, and while nobody can say how old the mirror is. */
  readonly live: Namespaces;
  readonly reads?: BoundedReads;
};

/** From the mirror and this process's memory, as old as a heartbeat at most; from the cluster where that cannot be promised. */
export function namespacesOn({ mirror, heard, live, reads = boundedReads() }: Sources): Namespaces {
  const cache = heardCache((name: string) => reads(() => found(mirror, name)), maxEntries);
  heard.onChange(kind, (names) => cache.drop(names?.map(nameIn)));

  return {
    async find(name) {
      const known = heard.isStale(kind) ? undefined : await cache.find(name);
      return known ?? live.find(name);
    },
    findLive: (name) => live.findLive(name),
    async list(selector) {
      const known = heard.isStale(kind) ? undefined : await reads(() => listed(mirror, selector));
      return known ?? live.list(selector);
    },
  };
}

type Unremembered = Pick<Sources, 'mirror' | 'live'> & { readonly reads: FollowedReads };

/** From the mirror without memory, so that nobody reads of before what woke him; from the cluster what that cannot tell. */
export function mirroredNamespaces({ mirror, live, reads }: Unremembered): Namespaces {
  return {
    find: async (name) => (await reads({ kind }, () => found(mirror, name))) ?? live.find(name),
    findLive: (name) => live.findLive(name),
    list: async (selector) =>
      (await reads({ kind }, () => listed(mirror, selector))) ?? live.list(selector),
  };
}

async function found(mirror: Mirror, name: string): Promise<Namespace | undefined> {
  const { object } = await mirror.find(kind, { name });
  return object && namespaceFrom(object);
}

async function listed(
  mirror: Mirror,
  labels: LabelSelector,
): Promise<readonly Namespace[] | undefined> {
  const { resourceVersion, objects } = await mirror.list(kind, { labels });
  if (resourceVersion === '') return undefined;
  const found: Namespace[] = [];
  for await (const object of objects) found.push(namespaceFrom(object));
  return found;
}

function namespaceFrom({ metadata }: KubeObject): Namespace {
  const { name = '', uid = '', labels = {}, annotations = {} } = metadata;
  return { name, uid, labels, annotations };
}

/** A notice says `namespace/name`, and a namespace is in none. */
function nameIn(place: string): string {
  return place.slice(place.indexOf('/') + 1);
}
