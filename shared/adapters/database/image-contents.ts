import type { Sql } from 'postgres';
import type { ImageFacts, VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { arrayText } from './columns.ts';

type Place = Parameters<VerdictStore['findTag']>[0];

/** What registries said. */
export function contentsOn(
  sql: Sql,
  { cluster }: { readonly cluster: string },
): Pick<VerdictStore, 'findTag' | 'keepTag' | 'findFacts' | 'keepFacts'> {
  return {
    findTag: async (place) => {
      const [stored] = await sql<{ readonly digest: string; readonly seen_at: Date }[]>`
        select digest, seen_at from image_tags
        where cluster = ${cluster} and name = ${nameOf(place)}`;
      return stored && { digest: stored.digest, seenAt: stored.seen_at };
    },
    keepTag: async (place, { digest, seenAt }) => {
      await sql`
        insert into image_tags as t (cluster, name, digest, seen_at)
        values (${cluster}, ${nameOf(place)}, ${digest}, ${seenAt.toISOString()})
        on conflict (cluster, name) do update set
          digest = excluded.digest, seen_at = excluded.seen_at
        where t.seen_at <= excluded.seen_at`;
    },
    findFacts: async (digest) => {
      const [stored] = await sql<Stored[]>`
        select children, config from image_manifests
        where cluster = ${cluster} and digest = ${digest}`;
      return stored && { digest, children: stored.children, config: stored.config ?? undefined };
    },
    keepFacts: async ({ digest, children, config }) => {
      await sql`
        insert into image_manifests (cluster, digest, children, config)
        values (${cluster}, ${digest}, ${arrayText(children)}::text[], ${config ?? null})
        on conflict do nothing`;
    },
  };
}

type Stored = Pick<ImageFacts, 'children'> & { readonly config: string | null };

function nameOf({ registry, repository, tag }: Place): string {
  return `${registry}/${repository}:${tag}`;
}
