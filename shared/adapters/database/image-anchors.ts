import type { Sql } from 'postgres';
import type { Anchor } from '#shared/domain/image-trust/tuf/trust.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';

type Stored = { readonly anchor: string; readonly root: string; readonly revision: number };

/** Where the next proof starts from. Whoever read an older one than there is writes nothing. */
export function anchorsOn(
  sql: Sql,
  { cluster }: { readonly cluster: string },
): Pick<VerdictStore, 'findAnchor' | 'keepAnchor'> {
  return {
    findAnchor: async ({ server, name, owner }) => {
      const [stored] = await sql<Stored[]>`
        select anchor, root, revision from trust_anchors
        where cluster = ${cluster} and server = ${server} and name = ${name} and owner = ${owner}`;
      // What stands there, we wrote.
      return stored && { ...stored, anchor: JSON.parse(stored.anchor) as Anchor };
    },
    keepAnchor: async ({ server, name, owner }, { anchor, root }, revision) => {
      const written =
        revision === undefined
          ? await sql`
              insert into trust_anchors (cluster, server, name, owner, root, anchor, revision)
              values (${cluster}, ${server}, ${name}, ${owner}, ${root}, ${JSON.stringify(anchor)}, 1)
              on conflict do nothing`
          : await sql`
              update trust_anchors set root = ${root}, anchor = ${JSON.stringify(anchor)},
                revision = revision + 1, kept_at = now()
              where cluster = ${cluster} and server = ${server} and name = ${name}
                and owner = ${owner} and revision = ${revision}`;
      return written.count === 1;
    },
  };
}
