import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';

const { href } = new URL('../bench/support/processes.ts', import.meta.url);
const script = `
  import { keepToCores } from ${JSON.stringify(href)};
  console.log(keepToCores(1));`;

it.each([
  ['keeps to as many cores as were promised', process.env['PATH'] ?? '', 1],
  ['says how many there are where nothing can keep it', '/nowhere', availableParallelism()],
])('%s', (_, PATH, cores) => {
  const args = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH } });
  expect(stdout).toBe(`${cores}\n`);
});
