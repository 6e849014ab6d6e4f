import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lock } from '#infra/emulator/cluster/state/lock.ts';
import { until } from '#test/support/until.ts';

const fieldsOf = (pid: string) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');

it('is free when its holder has ended and nobody asks how, as where there is no init', async () => {
  const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60']);
  try {
    const [printed] = await once(parent.stdout, 'data');
    const pid = String(printed).trim();
    const born = fieldsOf(pid)?.[19];
    await until(() => fieldsOf(pid)?.[0] === 'Z');

    const folder = mkdtempSync(join(tmpdir(), 'lock-'));
    writeFileSync(join(folder, 'lock'), `${pid} ${born}`);
    lock(folder)();
  } finally {
    parent.kill('SIGKILL');
  }
});

it('is not free while its holder lives', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  const release = lock(folder);
  expect(() => lock(folder)).toThrow('is in use by process');
  release();
  lock(folder)();
});
