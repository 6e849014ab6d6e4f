import { getHeapSpaceStatistics } from 'node:v8';
import { planChanges } from '#events/forwarder/plan.ts';
import { rowFrom } from '#shared/adapters/database/columns.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { rowIn } from '#shared/domain/mirrored.ts';
import { rowOf } from '#test/contracts/store/stage.ts';

/** A process of its own, for the one test beside it: what others do in a process, and its heap's size, would count as well. */
const [, , url = ''] = process.argv;
const sql = postgres(url, { max: 2, onnotice: () => undefined });
const body = JSON.stringify({ ...rowOf('a').object, spec: { text: 'x'.repeat(15_000) } });
const fresh = (): string => JSON.parse(JSON.stringify(body));
const stored = { ...rowOf('a'), resource_version: '1', is_deleted: false, is_inherited: false };
const place = { epoch: 1, generation: 1, keysOf: () => [] };
const calls: Readonly<Record<string, () => unknown>> = {
  statement: () => sql`select ${fresh()}::text`,
  transaction: () => sql.begin((tx) => tx`select ${fresh()}::text`),
  row: () => rowIn(rowFrom({ ...stored, body: fresh() }), { isDeleted: true }),
  event: () => {
    const known = rowFrom({ ...stored, body: fresh() });
    const { object } = rowOf('a', { resourceVersion: '2' });
    return planChanges([{ kind: 'present', object }], [known], place).happened;
  },
};

const times = 500;

async function leftBehind(call: () => unknown): Promise<number> {
  const run = async () => {
    for (let time = 0; time < times; time += 1) await call();
  };
  // What is kept for good comes first.
  await run();
  const before = oldBytes();
  await run();
  return (oldBytes() - before) / times;
}

function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => /^(?:old|large_object)_space$/.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

const left: Record<string, number> = {};
for (const [name, call] of Object.entries(calls)) left[name] = await leftBehind(call);
console.log(JSON.stringify(left));
await sql.end();
