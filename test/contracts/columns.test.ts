import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { emulated } from '#test/infra/emulator/cluster/emulated.ts';
import { columnsOf } from './columns/columns-of.ts';

/** What the real server shows: `test/real/columns.test.ts` holds it to that. */
const recorded = new Map(
  readFileSync(new URL('./columns/recorded.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(': ') as [string, string]),
);

it('an emulated cluster shows of each kind that it serves what the real server shows', async () => {
  const { ask } = await emulated();
  const columns = await columnsOf(
    async (path, accept) => (await ask(`GET ${path}`, accept === undefined ? {} : { accept })).body,
  );
  const known = [...columns].map(([kind]) => [kind, recorded.get(kind)]);
  expect(Object.fromEntries(columns)).toEqual(Object.fromEntries(known));
  expect(columns.size).toBeGreaterThan(50);
});
