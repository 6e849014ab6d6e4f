import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type FakeCluster, fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import type { Happening } from '#shared/runtime/happening.ts';
import { homely } from '#test/support/homely.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';
import { reconcileBy } from '#test/support/running.ts';
import { serveInside } from '#test/support/serving.ts';
import { eventually } from '#test/support/working.ts';

const main = join(import.meta.dirname, '../../infra/cli/main.ts');
const home = mkdtempSync(join(tmpdir(), 'events-tail-'));
const config = join(home, 'gatehouse.yaml');
writeFileSync(config, 'installation:\n  cluster: blue\n');
let cluster: FakeCluster;
let database: FreshDatabase;
let serving: Awaited<ReturnType<typeof serveInside>>[];

beforeAll(async () => {
  [cluster, database] = await Promise.all([fakeCluster(), freshDatabase()]);
  const common = {
    functions: [reconcileBy(async () => done)],
    settings: { capabilities: ['samples'], installation: { cluster: 'blue' } },
    login: { kind: 'kubeconfig-text', text: cluster.kubeconfig } as const,
    databaseUrl: database.url,
  };
  serving = [
    await serveInside({ ...common, role: 'forwarder' }),
    await serveInside({ ...common, role: 'worker', replica: 'two' }),
  ];
  for (const { readiness } of serving) {
    await eventually(async () => expect(await readiness()).toMatchObject({ code: 200 }));
  }
}, 60_000);

afterAll(async () => {
  await Promise.all(serving.map((each) => each.stop()));
  await Promise.all([cluster.close(), database.drop()]);
  rmSync(home, { recursive: true });
});

/** The command as a user runs it, in a process of its own. */
function tailing(...argv: readonly string[]) {
  const child = spawn(process.execPath, [main, 'events', 'tail', '-o', 'json', ...argv], {
    env: { ...homely(), DATABASE_URL: database.url, GATEHOUSE_CONFIG: config },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Happening[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return {
    lines,
    said: () => said,
    async stop() {
      child.kill('SIGINT');
      const [code] = await once(child, 'close');
      return code;
    },
  };
}

const mapNamed = (name: string) => {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
};

it('tells what happened in the cluster, whom it woke, and what became of it', async () => {
  const all = tailing();
  const others = tailing('--function', 'nobody');
  try {
    const patiently = { interval: 200, timeout: 20_000 };
    await vi.waitFor(() => {
      for (const { said } of [all, others]) expect(said()).toContain('listening');
    }, patiently);
    // Those who tell look once a second whether anybody listens.
    let probes = 0;
    await vi.waitFor(() => {
      cluster.objects.create(configMaps, mapNamed(`probe-${++probes}`));
      expect(all.lines.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['event', 'run']));
    }, patiently);

    cluster.objects.create(configMaps, mapNamed('told'));
    const toldOf = (kind: string) =>
      all.lines.filter((line) => line.kind === kind && line.object?.name === 'told');
    // Two processes tell it, each in its own time.
    await eventually(() => {
      for (const kind of ['event', 'run']) expect(toldOf(kind)).toHaveLength(1);
    });
    const object = {
      ...{ cluster: 'blue', group: '', resource: 'configmaps' },
      ...{ namespace: 'default', name: 'told', uid: expect.any(String) },
    };
    expect(toldOf('event')).toMatchObject([{ change: 'added', object, wakes: ['follow-maps'] }]);
    expect(toldOf('run')).toMatchObject([{ function: 'follow-maps', outcome: 'done', object }]);
    const eventIds = [...toldOf('event'), ...toldOf('run')].map((line) => {
      return line.kind === 'review' ? undefined : line.eventId;
    });
    expect(new Set(eventIds).size).toBe(1);
    expect(others.lines).toEqual([]);
  } finally {
    expect(await Promise.all([all.stop(), others.stop()])).toEqual([0, 0]);
  }
}, 60_000);
