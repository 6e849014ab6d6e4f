import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forwarderHeap } from '#infra/deploy/pod.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';
import { heapAsDeployed } from './large/as-deployed.ts';

const run = promisify(execFile);

/** More than the heap has, and fewer rows than a page: of many bytes, or of what is parsed to twenty times as much. */
const crowds = [
  {
    rows: '400 rows of 150 KB',
    count: 400,
    textOf: (hash: string) => `to_json(repeat(${hash}, ${150 * 32}))`,
    heap: [`--${forwarderHeap.old}`],
  },
  {
    rows: '30 rows of half a MiB of {}',
    count: 30,
    textOf: () => `('[' || repeat('{},', 170000) || '{}]')::json`,
    heap: heapAsDeployed,
  },
] as const;

describe.each(crowds)('a deployed forwarder has the heap for $rows', ({ count, textOf, heap }) => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase();
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    const uid = 'md5(place::text)';
    // The database keeps next to nothing of them, and gives them back whole.
    await sql.unsafe(`
      insert into objects (cluster, api_group, resource, uid, scope, namespace, name, epoch,
        resource_version, generation, labels, owners, keys, terms, body)
      select 'main', '', 'configmaps', ${uid}, 'configmaps', 'default', 'c' || place, 1,
        '1', 1, '{}', '{}', '{}', '{}', json_build_object('apiVersion', 'v1', 'kind', 'ConfigMap',
          'metadata', json_build_object('uid', ${uid}, 'name', 'c' || place,
            'namespace', 'default', 'resourceVersion', '1'),
          'data', json_build_object('text', ${textOf(uid)}))
      from generate_series(1, ${count}) place`);
    await sql.end();
  }, 60_000);
  afterEach(() => database.drop());

  it.each(['audit', 'waking', 'change', 'list'])('in the step %s', async (step) => {
    const script = join(import.meta.dirname, 'large/going-through.ts');
    const args = [...heap, script, step, database.url];
    const { stdout } = await run(process.execPath, args);
    expect(stdout).toBe(String(count));
  });
});
