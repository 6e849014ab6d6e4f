import type { Sql } from 'postgres';
import { arrayText } from '#shared/domain/array-text.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { gathering } from './gathering.ts';
import { claimChannel } from './image-changes.ts';
import { isRunning } from './lease-time.ts';

/** Who asks for all replicas, by the database's clock. Nobody waits here: whoever gets nothing comes again. */
export function claimsOn(
  sql: Sql,
  { cluster }: { readonly cluster: string },
): Pick<VerdictStore, 'claim' | 'release'> {
  const claim = gathering<Claim, boolean>(
    ({ key }) => key,
    async (claims) => {
      // Whoever comes in vain only reads: a row that is locked to be left alone would be a write, and wait for the disk.
      // In the order of the keys: two who claim the same rows wait for each other, not both.
      const claimed = await sql<{ readonly collection: string }[]>`
        insert into image_claims as c (cluster, collection, holder, lease_until)
        select ${cluster}, a.collection, a.holder,
          clock_timestamp() + a.lease_ms::float8 * interval '1 ms'
        from unnest(${arrayText(claims.map(({ key }) => key))}::text[],
          ${arrayText(claims.map(({ holder }) => holder))}::text[],
          ${arrayText(claims.map(({ leaseMs }) => String(leaseMs)))}::text[]
        ) as a (collection, holder, lease_ms)
        where not exists (select 1 from image_claims h where h.cluster = ${cluster}
          and h.collection = a.collection and h.holder <> a.holder
          and ${isRunning(sql, sql`h.lease_until`)})
        order by a.collection collate "C"
        on conflict (cluster, collection) do update set
          holder = excluded.holder, lease_until = excluded.lease_until
        where c.holder = excluded.holder or not ${isRunning(sql, sql`c.lease_until`)}
        returning c.collection`;
      const theirs = new Set(claimed.map(({ collection }) => collection));
      return claims.map(({ key }) => theirs.has(key));
    },
  );
  return {
    claim: ({ key }, holder, leaseMs) => claim({ key, holder, leaseMs }),
    release: async ({ key }, holder) => {
      await sql`
        with released as (
          delete from image_claims
          where cluster = ${cluster} and collection = ${key} and holder = ${holder} returning 1)
        select pg_notify(${claimChannel}, ${`${key} ${cluster}`}) from released`;
    },
  };
}

type Claim = { readonly key: string; readonly holder: string; readonly leaseMs: number };
