import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lock } from '#infra/emulator/cluster/state/lock.ts';

const root = new URL('../../../../', import.meta.url);
const { href } = new URL('infra/emulator/cluster/state/lock.ts', root);

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-lock-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Another process, which takes the folder when it is told to, says whether it has it, and stays. */
async function other(directory: string) {
  const script = `
    import { lock } from ${JSON.stringify(href)};
    console.log('begun');
    process.stdin.once('data', async () => {
      console.log(await lock(${JSON.stringify(directory)}).then(() => 'mine', () => 'theirs'));
    });
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return {
    async take(): Promise<string> {
      child.stdin.write('take\n');
      const [said] = await once(child.stdout, 'data');
      return String(said).trim();
    },
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

it('is not free while its holder lives, and is told by whom', async () => {
  const directory = folder();
  const release = await lock(directory);
  await expect(lock(directory)).rejects.toThrow(`is in use by process ${process.pid}`);
  await release();
  await (await lock(directory))();
});

it('is had by one of those that come at the same time, where a killed one has left it', async () => {
  const directory = folder();
  // As earlier versions left theirs.
  writeFileSync(join(directory, 'lock'), '4194999 1');
  const starters = await Promise.all(Array.from({ length: 4 }, () => other(directory)));
  const killed = await other(directory);
  expect(await killed.take()).toBe('mine');
  await killed.kill();
  const said = await Promise.all(starters.map((each) => each.take()));
  expect(said.toSorted()).toEqual(['mine', 'theirs', 'theirs', 'theirs']);
});
