import type { Sql } from 'postgres';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';

/** Who asks for all replicas, by the database's clock. Nobody waits here: whoever gets nothing comes again. */
export function claimsOn(
  sql: Sql,
  { cluster }: { readonly cluster: string },
): Pick<VerdictStore, 'claim' | 'release'> {
  return {
    // Whoever comes in vain only reads: a row that is locked to be left alone would be a write, and wait for the disk.
    claim: async ({ key }, holder, leaseMs) => {
      const claimed = await sql`
        insert into image_claims as c (cluster, collection, holder, lease_until)
        select ${cluster}, ${key}, ${holder}::text,
          clock_timestamp() + ${leaseMs}::float8 * interval '1 ms'
        where not exists (select 1 from image_claims h where h.cluster = ${cluster}
          and h.collection = ${key} and h.holder <> ${holder} and h.lease_until > clock_timestamp())
        on conflict (cluster, collection) do update set
          holder = excluded.holder, lease_until = excluded.lease_until
        where c.holder = excluded.holder or c.lease_until <= clock_timestamp()`;
      return claimed.count === 1;
    },
    release: async ({ key }, holder) => {
      await sql`
        delete from image_claims
        where cluster = ${cluster} and collection = ${key} and holder = ${holder}`;
    },
  };
}
