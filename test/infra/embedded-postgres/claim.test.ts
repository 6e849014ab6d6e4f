import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { claim } from '#infra/embedded-postgres/claim.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** As a child between fork and exec: it has the socket, and hears nobody. */
async function holdDeaf(folder: string, ms: number): Promise<void> {
  const { dev, ino } = statSync(folder);
  const name = JSON.stringify(`\0gatehouse-postgres-${dev}-${ino}`);
  const code = `require('node:net').createServer().listen(${name}, () => {
    require('node:fs').writeSync(1, 'held');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});
    process.kill(process.pid, 'SIGKILL');
  });`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
}

it.concurrent('a folder is ours where what was let go is held by a child for a moment', async () => {
  const folder = temporaryFolder('gatehouse-claim-');
  await holdDeaf(folder, 200);
  const claimed = await claim(folder);
  expect(claimed.kind).toBe('ours');
  if (claimed.kind === 'ours') await claimed.release();
});

it.concurrent('a folder is taken where somebody keeps it and does not say who', async () => {
  const folder = temporaryFolder('gatehouse-claim-');
  await holdDeaf(folder, 2_000);
  expect(await claim(folder)).toEqual({
    kind: 'taken',
    by: 'a process that does not say its id',
  });
});
