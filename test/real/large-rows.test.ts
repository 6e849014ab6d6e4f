import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forwarderHeap } from '#infra/deploy/pod.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';

const run = promisify(execFile);
/** More bytes than the heap has, and fewer rows than a page. */
const count = 400;
const kibibytes = 150;

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  // The database keeps next to nothing of them, and gives them back whole.
  await sql`
    insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
      resource_version, generation, labels, owners, keys, terms, body)
    select 'main', '', 'configmaps', md5(place::text), 'configmaps', 'default', 'c' || place, 1,
      '1', 1, '{}', '{}', '{}', '{}', json_build_object('apiVersion', 'v1', 'kind', 'ConfigMap',
        'metadata', json_build_object('uid', md5(place::text), 'name', 'c' || place,
          'namespace', 'default', 'resourceVersion', '1'),
        'data', json_build_object('text', repeat(md5(place::text), ${kibibytes * 32}::int)))
    from generate_series(1, ${count}) place`;
  await sql.end();
}, 60_000);
afterAll(() => database.drop());

/** In this order: the last one leaves nobody. */
it.each(['audit', 'waking', 'list'])(
  'a deployed forwarder has the heap for what the step %s does with 400 rows of 150 KB',
  async (step) => {
    const script = join(import.meta.dirname, 'large/going-through.ts');
    const args = [`--${forwarderHeap}`, script, step, database.url];
    const { stdout } = await run(process.execPath, args);
    expect(stdout).toBe(String(count));
  },
);
