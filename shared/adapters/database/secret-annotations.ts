import type { Sql } from 'postgres';
import { secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { mirroredForm } from '#shared/domain/mirrored.ts';

type Stored = {
  readonly uid: string;
  readonly version: string;
  readonly body: string;
};

/** A Secret's annotations have 256 KiB at most, and a forwarder has little memory. */
const rowsAtOnce = 16;

/**
 * Builds from before `mirroredForm` left them out kept a Secret's annotations, which may hold its data, until it changed.
 * How many rows had any. They stay what they were beside: nobody hears of it.
 */
export async function cutSecretAnnotations(
  sql: Sql,
  { cluster }: { readonly cluster: string },
): Promise<number> {
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: readonly Stored[] = await annotated(sql, cluster, after);
    for (const each of page) count += await cut(sql, cluster, each);
    after = page.at(-1)?.uid;
  }
  return count;
}

/** Within a text of JSON each quote is escaped: what is found is a key. */
function annotated(sql: Sql, cluster: string, after: string) {
  return sql<Stored[]>`
    select uid, resource_version as version, body::text as body from objects
    where cluster = ${cluster} and api_group = ${secrets.group} and resource = ${secrets.resource}
      and uid > ${after} and body::text like ${'%"annotations":%'}
    order by uid limit ${rowsAtOnce}`;
}

/** Unless its writer has been there meanwhile. */
async function cut(sql: Sql, cluster: string, { uid, version, body }: Stored): Promise<number> {
  const kept = JSON.stringify(mirroredForm(JSON.parse(body) as KubeObject));
  if (kept === body) return 0;
  const done = await sql`
    update objects set body = ${kept}::text::json
    where cluster = ${cluster} and api_group = ${secrets.group} and resource = ${secrets.resource}
      and uid = ${uid} and resource_version = ${version} and body::text = ${body}`;
  return done.count;
}
