import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const packaged = `node-${process.platform}-${process.arch}`;

/** In the place of the command: says on what it runs, and goes on until it is told to stop. */
const command = `
if (process.argv.includes('wait')) {
  setInterval(() => {}, 1_000);
  process.on('SIGTERM', () => process.exit(7));
} else process.exitCode = 3;
process.stdout.write(JSON.stringify({ node: process.versions.node, args: process.argv.slice(2) }) + '\\n');
`;

/** What the first process takes itself for; the one that it starts does not. */
const pretendOld = `data:text/javascript,
if (process.env.PRETEND === 'old') {
  delete process.env.PRETEND;
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });
}`;

const home = mkdtempSync(join(tmpdir(), 'launcher-'));
afterAll(() => rmSync(home, { recursive: true }));

function install(folder: string, options: { readonly withNode: boolean }): string {
  const directory = join(home, folder);
  mkdirSync(join(directory, 'dist/cli'), { recursive: true });
  mkdirSync(join(directory, 'node_modules'));
  cpSync(join(root, 'infra/cli/launcher.mjs'), join(directory, 'dist/gatehouse.mjs'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(join(directory, 'dist/cli/main.js'), command);
  if (options.withNode) {
    symlinkSync(join(root, 'node_modules', packaged), join(directory, 'node_modules', packaged));
  }
  return join(directory, 'dist/gatehouse.mjs');
}

const installed = install('whole', { withNode: true });
const withoutNode = install('without', { withNode: false });

function launch(program: string, age: 'old' | 'new', ...args: readonly string[]): ChildProcess {
  const node = [process.execPath, '--import', pretendOld.replaceAll('\n', ' ')] as const;
  const [file, ...options] = node;
  return spawn(file, [...options, program, ...args], {
    env: { PATH: process.env['PATH'], PRETEND: age },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function outcome(child: ChildProcess) {
  const [said, complaint, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ]);
  return { said, complaint, code };
}

describe('the launcher', () => {
  it.each(['old', 'new'] as const)(
    'on %s Node hands over arguments and the exit code',
    async (age) => {
      const { said, code } = await outcome(launch(installed, age, 'explain', '-f', 'a b.yaml'));
      expect(JSON.parse(said).args).toEqual(['explain', '-f', 'a b.yaml']);
      expect(JSON.parse(said).node).toMatch(/^2[4-9]\./);
      expect(code).toBe(3);
    },
  );

  it('passes on the signal to stop, and waits for the end', async () => {
    const child = launch(installed, 'old', 'wait');
    const ended = outcome(child);
    if (child.stdout) await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(7);
  });

  it('says what to do where no newer Node came along', async () => {
    const { complaint, code } = await outcome(launch(withoutNode, 'old'));
    expect(complaint).toContain('it needs Node 24 or newer');
    expect(complaint).toContain('--omit=optional');
    expect(code).toBe(1);
  });
});
