import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

/** As another container on the same volume: the names of this network namespace are nothing there. */
const apart = ['--net', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
const canPart = spawnSync('unshare', [...apart, 'true']).status === 0;

/** What was not tried says so. */
function acrossNamespaces(name: string, test: () => Promise<void>): void {
  const why = ' (not tried: no namespaces allowed here)';
  it.concurrent(canPart ? name : name + why, canPart ? test : async () => undefined);
}

/** Says what it got, and keeps it. */
async function claimApart(folder: string) {
  const source = join(import.meta.dirname, '../../../infra/embedded-postgres/claim.ts');
  const code = `
    const { claim } = await import(${JSON.stringify(source)});
    const { kind, by } = await claim(process.argv[1]);
    console.log(JSON.stringify({ kind, by }));
    setTimeout(() => undefined, kind === 'ours' ? 30_000 : 0);`;
  const program = [process.execPath, '--input-type=module', '-e', code, folder];
  const child = spawn('unshare', [...apart, ...program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [said] = await once(child.stdout, 'data');
  const end = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { said: JSON.parse(String(said)), pid: child.pid, end };
}

/** More than the path of a socket may have. */
const long = 'gatehouse-claim-'.padEnd(120, 'x');

describe('a folder that processes of several network namespaces share', () => {
  acrossNamespaces('is taken where somebody of another one has it, whom they name', async () => {
    const folder = temporaryFolder(long);
    const theirs = await claimApart(folder);
    const claimed = await claim(folder);
    await theirs.end();
    expect([theirs.said.kind, claimed]).toEqual([
      'ours',
      {
        kind: 'taken',
        by: `process ${theirs.pid}, in another container or network namespace`,
      },
    ]);
  });

  acrossNamespaces(
    'is nobody’s once who had it was killed, and nothing of that one stays',
    async () => {
      const folder = temporaryFolder(long);
      await (await claimApart(folder)).end();
      const claimed = await claim(folder);
      expect([claimed.kind, readdirSync(folder)]).toEqual(['ours', [expect.any(String)]]);
      if (claimed.kind === 'ours') await claimed.release();
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  acrossNamespaces('is never of two who begin at once', async () => {
    const folder = temporaryFolder(long);
    const all = await Promise.all([claimApart(folder), claimApart(folder), claimApart(folder)]);
    await Promise.all(all.map(({ end }) => end()));
    expect(all.filter(({ said }) => said.kind === 'ours').length).toBeLessThan(2);
  });
});
