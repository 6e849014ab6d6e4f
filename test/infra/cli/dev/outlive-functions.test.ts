import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const { href } = new URL('../../../../infra/cli/dev/outlive-functions.ts', import.meta.url);

/** What becomes of a process in which a function does this. */
function after(act: string) {
  const source = `
    import { exit } from 'node:process';
    import { leave, outliveFunctions } from ${JSON.stringify(href)};
    const told = [];
    outliveFunctions({ error: ({ err }, message) => told.push(message + ': ' + err.message) });
    setTimeout(() => {
      console.log(told.join());
      leave(7);
    }, 50);
    ${act}
  `;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source]);
  return { status, said: stdout.toString() };
}

it.each([
  ['throws in a timer', "setTimeout(() => { throw new Error('late'); })", /by a timer.*: late/],
  ['forgets a promise', "void Promise.reject(new Error('lost'))", /nobody waited for: lost/],
  ['exits', 'setTimeout(() => process.exit(0))', /process.exit was called/],
  ['exits by an import', 'setTimeout(() => exit(0))', /process.exit was called/],
])('a function that %s ends nothing, and is told', (_, act, said) => {
  expect(after(act)).toEqual({ status: 7, said: expect.stringMatching(said) });
});
