import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const hook = join(import.meta.dirname, '../../../../infra/own-imports.mjs');
const script = join(import.meta.dirname, 'hot-function.ts');
const node = ['--trace-opt', '--no-concurrent-recompilation', '--import', hook, script];

it.each([
  ['forwarder', 'leaves what is called all the time to Maglev', ['MAGLEV']],
  ['worker', 'has TurboFan for it as well', ['MAGLEV', 'TURBOFAN']],
])('%s %s', async (role, _, compilers) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...node, role]);
  const used = stdout.matchAll(/<JSFunction add .*target (MAGLEV|TURBOFAN)/g);
  expect([...new Set([...used].map(([, compiler]) => compiler))].sort()).toEqual(compilers);
});
