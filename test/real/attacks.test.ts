// First: what is made from here on is of today.
import '#test/support/tuf/at-present.ts';

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, inject, it, vi } from 'vitest';
import { parse } from 'yaml';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { namespaces } from '#shared/domain/kind.ts';
import { admitThrough } from '#test/attacks/admit.ts';
import { inTurns, postTo } from '#test/attacks/ask-target.ts';
import { firstUseWhileAway } from '#test/attacks/cluster-vectors.ts';
import { manifestOf, settingsFor } from '#test/attacks/configuration.ts';
import { openOutsideWorld } from '#test/attacks/outside.ts';
import { playAll } from '#test/attacks/run.ts';
import { type Between, proxyTo } from '#test/support/proxy-to.ts';
import { freePort } from './kube/program.ts';
import { certifiedForLoopback, type Replicas, startReplicas } from './replicas/start.ts';

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
    /^left out: a first use while the database is away \(needs a database that can be cut off\)$/m,
  );
  expect(Number(vectors)).toBeGreaterThanOrEqual(250);
  expect(twins).toBe(vectors);
  for (const { probePort } of replicas.started.slice(0, 2)) {
    expect(await reviewsAt(probePort)).toBeGreaterThan(Number(vectors));
  }
}, 180_000);

it('two replicas whose Postgres is away trust no root that they have not seen', async () => {
  const outside = await openOutsideWorld();
  outside.registry.keep('team/app', '1.0', 'good');
  const vector = await firstUseWhileAway(outside);
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kubeconfig } });
  for (const each of vector.namespaces) await cluster.create(namespaces, manifestOf(each));
  cluster.close();

  const ports = [await freePort(), await freePort()];
  let between: Between | undefined;
  const way = async (url: string) => {
    between = await proxyTo(url);
    return between;
  };
  const settings = settingsFor({ outside });
  started.push(await startReplicas({ kubeconfig, settings, certified, ports, way }));
  const posts = ports.map((port) =>
    postTo({ url: `https://localhost:${port}`, ca: certified.ca, servername: undefined }),
  );
  const post = inTurns(posts);
  const { played, broken } = await playAll(
    { vectors: [vector] },
    {
      outside,
      admit: (asked) => admitThrough(post, asked),
      cutOff: (isAway) => (isAway ? between?.cut() : between?.mend()),
    },
  );
  between?.close();
  await outside.close();
  expect(broken).toBe(0);
  expect(played).toMatchObject([
    {
      evil: { kind: 'refused', said: expect.stringContaining('validation failed') },
      twin: { kind: 'admitted' },
    },
  ]);
}, 60_000);

async function reviewsAt(probePort: number): Promise<number> {
  const metrics = await fetch(`http://127.0.0.1:${probePort}/metrics`);
  const counted = [...(await metrics.text()).matchAll(/^gatehouse_reviews_total\{.*\} (\d+)$/gm)];
  return counted.reduce((sum, [, count]) => sum + Number(count), 0);
}
