import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { descendantsOf, stillThere } from '#test/support/descendants.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const root = join(import.meta.dirname, '../../../..');

/** Of a process of its own: what is left running by one of ours is hard to tell from what others run beside it. */
it('a world of the real parts has a Postgres of its own, and leaves neither process nor folder', async () => {
  const folder = join(temporaryFolder('own-postgres-'), 'tmp');
  mkdirSync(folder);
  const given = [join(import.meta.dirname, 'own-postgres.ts')];
  const child = spawn(process.execPath, given, {
    cwd: root,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [ended, complaints] = [once(child, 'close'), text(child.stderr)];
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`it ended:\n${await complaints}`);
    return JSON.parse(value);
  };

  expect(await said()).toEqual({
    stamped: { 'samples.gatehouse.io/seen': 'yes' },
    verdict: 'deny',
    decisions: ['stamp-note', 'forbid-all'],
  });
  const started = descendantsOf(Number(child.pid));
  expect(started.length).toBeGreaterThan(1);
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^gatehouse-world-/)]);
  child.stdin.write('close\n');
  expect(await said()).toBe('closed');
  expect(stillThere(started)).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
  // Nothing of it keeps its process, either.
  expect(await ended).toEqual([0, null]);
}, 60_000);
