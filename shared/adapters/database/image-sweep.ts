import type { Sql } from 'postgres';

const most = 1_000;

/**
 * What serves nobody any more: verdicts past their proof, tags too old to stand in for a registry, and manifests of
 * which no verdict is left. Roots that were trusted stay, since to forget one would make the next use a first one; those of
 * namespaces' own Notaries go when nobody has asked for what they sign for half a year, which nobody can bring about but
 * whoever runs it.
 */
export async function sweepImagesOn(sql: Sql, { cluster }: { readonly cluster: string }) {
  await sql`
    delete from image_verdicts where cluster = ${cluster} and (collection, tag, digest) in (
      select collection, tag, digest from image_verdicts
      where cluster = ${cluster} and valid_until < now() - interval '1 hour' limit ${most})`;
  await sql`
    delete from image_tags where cluster = ${cluster} and name in (
      select name from image_tags
      where cluster = ${cluster} and seen_at < now() - interval '2 days' limit ${most})`;
  await sql`
    delete from trust_anchors where cluster = ${cluster} and (server, name, owner) in (
      select server, name, owner from trust_anchors
      where cluster = ${cluster} and owner <> '' and kept_at < now() - interval '180 days'
      limit ${most})`;
  await sql`
    delete from image_claims
    where cluster = ${cluster} and lease_until < now() - interval '1 hour'`;
  await sql`
    delete from image_manifests where cluster = ${cluster} and digest in (
      select m.digest from image_manifests m
      where m.cluster = ${cluster} and m.seen_at < now() - interval '1 day' and not exists (
        select 1 from image_verdicts v where v.cluster = m.cluster and v.digest = m.digest)
      limit ${most})`;
}
