import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';

const { href } = new URL('../bench/support/processes.ts', import.meta.url);
const scriptOf = (call: string) => `
  import { availableParallelism } from 'node:os';
  import { keepToCores, pinSelf, stopAll } from ${JSON.stringify(href)};
  console.log((${call}));`;
const script = scriptOf('keepToCores(1)');

it.each([
  ['keeps to as many cores as were promised', process.env['PATH'] ?? '', 1],
  ['says how many there are where nothing can keep it', '/nowhere', availableParallelism()],
])('%s', (_, PATH, cores) => {
  const args = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH } });
  expect(stdout).toBe(`${cores}\n`);
});

it.each([
  ['is kept to less', "pinSelf('load'), keepToCores(2)", Math.min(2, availableParallelism())],
  ['is over', "pinSelf('load'), await stopAll(), availableParallelism()", availableParallelism()],
])('takes nothing of what a bench before had where that %s', (_, call, cores) => {
  const args = ['--input-type=module', '-e', scriptOf(call)];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stdout).toBe(`${cores}\n`);
});
