import type { Sql } from 'postgres';
import { nodes as kind } from '#shared/domain/kind.ts';
import type { Node } from '#shared/domain/node.ts';
import type { LabelSelector } from '#shared/domain/selector.ts';
import type { Nodes } from '#shared/ports.ts';
import { type BoundedReads, boundedReads } from './bounded.ts';
import type { FollowedReads } from './followed-reads.ts';
import type { Heard } from './heard.ts';
import { conditionOf, isOf } from './selecting.ts';

type Sources = {
  readonly sql: Sql;
  readonly cluster: string;
  readonly heard: Heard;
  /** Asked while nobody can say how old the mirror is. */
  readonly live: Nodes;
  readonly reads?: BoundedReads;
  /** In milliseconds, and never set back. */
  readonly now?: () => number;
};

/** A node's status changes all the time, so that notices would only have everything read again: an answer just has an age. */
const lifeMs = 500;
const maxSelectors = 64;

type Answer = { readonly at: number; readonly nodes: Promise<readonly Node[] | undefined> };

export function nodesOn(sources: Sources): Nodes {
  const { sql, cluster, heard, live, reads = boundedReads() } = sources;
  const { now = () => performance.now() } = sources;
  const answers = new Map<string, Answer>();
  const read = (selector: LabelSelector): Answer['nodes'] => {
    const key = JSON.stringify(selector);
    const at = now();
    const known = answers.get(key);
    if (known !== undefined && at - known.at < lifeMs) return known.nodes;

    const nodes = reads(() => listed(sql, cluster, selector));
    answers.delete(key);
    answers.set(key, { at, nodes });
    const [oldest] = answers.size > maxSelectors ? answers.keys() : [];
    if (oldest !== undefined) answers.delete(oldest);
    return nodes;
  };

  return {
    async list(selector) {
      const found = heard.isStale(kind) ? undefined : await read(selector);
      return found ?? live.list(selector);
    },
  };
}

type Unremembered = Pick<Sources, 'cluster' | 'live'> & {
  readonly sql: () => Promise<Sql>;
  readonly reads: FollowedReads;
};

/** From the mirror without memory, so that nobody reads of before what woke him; from the cluster what that cannot tell. */
export function mirroredNodes({ sql, cluster, live, reads }: Unremembered): Nodes {
  return {
    list: async (selector) =>
      (await reads({ kind }, async () => listed(await sql(), cluster, selector))) ??
      live.list(selector),
  };
}

/** Without their bodies, which are large and stay on disk. */
async function listed(sql: Sql, cluster: string, labels: LabelSelector): Promise<readonly Node[]> {
  const realm = { cluster, group: kind.group, resource: kind.resource };
  const found = await sql<Node[]>`
    select o.name, o.labels from objects o
    where ${isOf(sql, realm)} and o.deleted_at is null ${conditionOf(sql, realm, { labels })}
    order by o.name`;
  return found.map(({ name, labels: own }) => ({ name, labels: own }));
}
