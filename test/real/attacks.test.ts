import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, inject, it, vi } from 'vitest';
import { parse } from 'yaml';
import { certifiedForLoopback } from '#test/support/certified-for-loopback.ts';
import { descendantsOf, stillThere } from '#test/support/descendants.ts';
import { freePort } from './kube/program.ts';
import { type Replicas, startReplicas } from './replicas/start.ts';

const { kubeconfig } = inject('kube');
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-attacks-'));
const certified = await certifiedForLoopback();
const started: Replicas[] = [];
afterAll(async () => {
  for (const replicas of started) await replicas.stop();
  certified.remove();
  rmSync(folder, { recursive: true });
});

/** `npm run attacks`, whatever becomes of us. */
function startAttacks(...args: readonly string[]) {
  const main = join(import.meta.dirname, '../attacks/main.ts');
  const command = ['--pdeathsig', 'KILL', '--', process.execPath, main, ...args];
  return spawn('setpriv', command, { stdio: ['ignore', 'pipe', 'pipe'] });
}

it('two replicas on one Postgres, asked in turns, admit none of the attacks and all of their twins', async () => {
  const ports = [await freePort(), await freePort()];
  const urls = ports.flatMap((port) => ['--url', `https://localhost:${port}`]);
  const stated = ['--ca', certified.caPath, '--kubeconfig', kubeconfig, '--write', folder];
  const attacks = startAttacks(...urls, ...stated, '--port', '0');
  const said = text(attacks.stdout);
  const complained = text(attacks.stderr);
  const ended = once(attacks, 'exit');

  await vi.waitUntil(() => existsSync(join(folder, 'namespaces.yaml')), { timeout: 30_000 });
  const settings = parse(readFileSync(join(folder, 'gatehouse.yaml'), 'utf8'));
  const replicas = await startReplicas({ kubeconfig, settings, certified, ports });
  started.push(replicas);
  const [code] = await ended;

  const lines = (await said).trimEnd().split('\n');
  const [, vectors = '0', twins = '0'] =
    /^(\d+) vectors, admitted 0; (\d+) twins, admitted \2$/.exec(lines.at(-1) ?? '') ?? [];
  expect({ code, lines }).toEqual({ code: 0, lines: [expect.any(String)] });
  expect(await complained).toMatch(
    /^left out: another root .+; a first use while the database is away \(needs a database that can be cut off \(.+\)\)$/m,
  );
  expect(Number(vectors)).toBeGreaterThanOrEqual(250);
  expect(twins).toBe(vectors);
  for (const { probePort } of replicas.started.slice(0, 2)) {
    expect(await reviewsAt(probePort)).toBeGreaterThan(Number(vectors));
  }
}, 180_000);

it('a Gatehouse of its own is attacked without its Postgres as well', async () => {
  const attacks = startAttacks('-o', 'json', '--only', 'away: ');
  const said = text(attacks.stdout);
  const [code] = await once(attacks, 'exit');
  const { played, ...counted } = JSON.parse(await said);
  const { vectors } = counted;
  expect({ code, ...counted }).toEqual({
    ...{ code: 0, leftOut: [], admitted: 0, broken: 0 },
    ...{ vectors, twins: vectors, twinsAdmitted: vectors },
  });
  const evil = { kind: 'refused', said: expect.stringContaining('validation failed') };
  expect(played).toMatchObject([{ evil }, { evil }]);
}, 180_000);

it('an attack that is told to end leaves nothing running', async () => {
  const attacks = startAttacks();
  const complained = text(attacks.stderr);
  const started = () => descendantsOf(attacks.pid ?? 0);
  // Of its Gatehouse the cluster and its database are there, by then.
  await vi.waitUntil(() => started().length >= 3, { timeout: 60_000 });
  const before = started();
  attacks.kill('SIGINT');
  const [code] = await once(attacks, 'exit');
  expect({ code, said: await complained }).toEqual({
    code: 130,
    said: expect.stringContaining('what it has started and made is removed'),
  });
  await vi.waitUntil(() => stillThere(before).length === 0, { timeout: 30_000 });
}, 120_000);

async function reviewsAt(probePort: number): Promise<number> {
  const metrics = await fetch(`http://127.0.0.1:${probePort}/metrics`);
  const counted = [...(await metrics.text()).matchAll(/^gatehouse_reviews_total\{.*\} (\d+)$/gm)];
  return counted.reduce((sum, [, count]) => sum + Number(count), 0);
}
