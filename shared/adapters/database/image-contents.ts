import type { Sql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import { skewMs } from '#shared/domain/image-trust/verdict.ts';
import type { ImageFacts, VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { gathering } from './gathering.ts';

type Place = Parameters<VerdictStore['findTag']>[0];

/** What registries said. */
export function contentsOn(
  sql: Sql,
  { cluster }: { readonly cluster: string },
): Pick<VerdictStore, 'findTag' | 'keepTag' | 'findFacts' | 'keepFacts'> {
  const find = gathering(
    (digest: string) => digest,
    async (digests) => {
      const rows = await sql<Stored[]>`
        select digest, children, config from image_manifests
        where cluster = ${cluster} and digest = any(${arrayText(digests)}::text[])`;
      const byDigest = new Map(rows.map((row) => [row.digest, factsFrom(row)]));
      return digests.map((digest) => ({ facts: byDigest.get(digest) }));
    },
  );
  const keep = gathering(
    ({ digest }: ImageFacts) => digest,
    async (all) => {
      await sql`
        insert into image_manifests (cluster, digest, children, config)
        select ${cluster}, n.digest, n.children::text[], nullif(n.config, '')
        from unnest(${arrayText(all.map(({ digest }) => digest))}::text[],
          ${arrayText(all.map(({ children }) => arrayText(children)))}::text[],
          ${arrayText(all.map(({ config }) => config ?? ''))}::text[]
        ) as n (digest, children, config)
        order by n.digest collate "C"
        on conflict do nothing`;
      return all;
    },
  );
  return {
    findTag: async (place) => {
      const [stored] = await sql<{ readonly digest: string; readonly seen_at: Date }[]>`
        select digest, seen_at from image_tags
        where cluster = ${cluster} and name = ${nameOf(place)}`;
      return stored && { digest: stored.digest, seenAt: stored.seen_at };
    },
    // Nobody believes what a clock that is further ahead has seen: it must not stay until then. By the database's clock,
    // or whoever's own is behind would find all others ahead, and say for them what a tag was.
    keepTag: async (place, { digest, seenAt }) => {
      await sql`
        insert into image_tags as t (cluster, name, digest, seen_at)
        values (${cluster}, ${nameOf(place)}, ${digest}, ${seenAt.toISOString()})
        on conflict (cluster, name) do update set
          digest = excluded.digest, seen_at = excluded.seen_at
        where t.seen_at <= excluded.seen_at
          or t.seen_at > clock_timestamp() + ${skewMs}::float8 * interval '1 ms'`;
    },
    findFacts: async (digest) => (await find(digest)).facts,
    keepFacts: async (facts) => void (await keep(facts)),
  };
}

type Stored = Pick<ImageFacts, 'digest' | 'children'> & { readonly config: string | null };

function factsFrom({ digest, children, config }: Stored): ImageFacts {
  return { digest, children, config: config ?? undefined };
}

function nameOf({ registry, repository, tag }: Place): string {
  return `${registry}/${repository}:${tag}`;
}
