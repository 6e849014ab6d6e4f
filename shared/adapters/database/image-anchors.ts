import type { Sql } from 'postgres';
import type { Anchor } from '#shared/domain/image-trust/tuf/trust.ts';
import {
  type Collection,
  mostRootsOfNamespace,
  type VerdictStore,
} from '#shared/domain/image-trust/verdict-store.ts';

type Stored = {
  readonly anchor: string;
  readonly root: string;
  readonly revision: number;
  readonly is_long_ago: boolean;
};

/** Where the next proof starts from. Whoever read an older one than there is writes nothing. */
export function anchorsOn(
  sql: Sql,
  { cluster }: { readonly cluster: string },
): Pick<VerdictStore, 'findAnchor' | 'keepAnchor'> {
  return {
    findAnchor: async (collection) => {
      const { server, name, owner } = collection;
      const [stored] = await sql<Stored[]>`
        select anchor, root, revision, kept_at < now() - interval '1 day' as is_long_ago
        from trust_anchors
        where cluster = ${cluster} and server = ${server} and name = ${name} and owner = ${owner}`;
      if (stored === undefined) return undefined;
      const { anchor, root, revision, is_long_ago } = stored;
      // Whoever may only read leaves that to others.
      if (is_long_ago) await renewOn(sql, cluster, collection).catch(() => undefined);
      // What stands there, we wrote.
      return { anchor: JSON.parse(anchor) as Anchor, root, revision };
    },
    keepAnchor: async (collection, { anchor, root }, revision) => {
      const { server, name, owner } = collection;
      const written =
        revision === undefined
          ? await sql`
              insert into trust_anchors (cluster, server, name, owner, root, anchor, revision)
              select ${cluster}, ${server}, ${name}, ${owner}, ${root}, ${JSON.stringify(anchor)}, 1
              where ${owner} = '' or ${mostRootsOfNamespace} > (select count(*) from trust_anchors
                where cluster = ${cluster} and owner = ${owner})
              on conflict do nothing`
          : await sql`
              update trust_anchors set root = ${root}, anchor = ${JSON.stringify(anchor)},
                revision = revision + 1, kept_at = now()
              where cluster = ${cluster} and server = ${server} and name = ${name}
                and owner = ${owner} and revision = ${revision}`;
      if (written.count === 1) return 'kept';
      const isFirst = revision === undefined;
      return isFirst && !(await isThereOn(sql, cluster, collection)) ? 'full' : 'overtaken';
    },
  };
}

/** A root of a namespace's own Notary is kept for as long as somebody asks for what it signs, whatever comes of that. */
async function renewOn(sql: Sql, cluster: string, { server, name, owner }: Collection) {
  await sql`
    update trust_anchors set kept_at = now()
    where cluster = ${cluster} and server = ${server} and name = ${name} and owner = ${owner}`;
}

async function isThereOn(sql: Sql, cluster: string, { server, name, owner }: Collection) {
  const rows = await sql`
    select from trust_anchors
    where cluster = ${cluster} and server = ${server} and name = ${name} and owner = ${owner}`;
  return rows.length > 0;
}
