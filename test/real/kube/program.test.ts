import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { run } from './program.ts';

const log = () => join(mkdtempSync(join(tmpdir(), 'gatehouse-program-')), 'log');

it('leaves no program behind when the process that started it is killed', async () => {
  const program = `
    const { run } = await import('#test/real/kube/program.ts');
    console.log(run('sleep', ['600'], ${JSON.stringify(log())}).pid);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(parent.stdout, 'data');
  const pid = Number(String(said));
  expect(isThere(pid)).toBe(true);

  parent.kill('SIGKILL');
  await vi.waitUntil(() => !isThere(pid), { timeout: 5_000 });
});

it('says what a program wrote that died', async () => {
  const dying = run('bash', ['-c', 'echo no such flag; exit 1'], log());
  await expect(dying.until('a server', async () => false)).rejects.toThrow(
    /a server did not come to be:\nno such flag/,
  );
});

it('ends a program', async () => {
  const sleeping = run('sleep', ['600'], log());
  await sleeping.kill();
  expect(isThere(sleeping.pid ?? 0)).toBe(false);
});

/** One that nobody has buried yet is gone as well. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
