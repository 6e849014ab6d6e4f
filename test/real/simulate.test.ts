import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it.each([
  ['all holds', ['--schedules', '4'], 0],
  ['something is broken', ['--schedules', '4', '--bug', 'expired-receipt-settles'], 1],
  ['fewer were played than were asked for', ['--schedules', '4', '--within', '0'], 1],
  ['the one that is replayed is broken', ['--seed', '1', '--bug', 'expired-receipt-settles'], 1],
  ['there is no such bug', ['--schedules', '4', '--bug', 'none'], 2],
])('the simulator says by its exit code that %s', (_, args, status) => {
  const file = join(import.meta.dirname, '../simulation/main.ts');
  expect(spawnSync(process.execPath, [file, ...args]).status).toBe(status);
});
