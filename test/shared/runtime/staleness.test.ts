import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { configMaps, namespaces } from '#shared/domain/kind.ts';
import { measureStaleness } from '#shared/runtime/staleness.ts';
import { mirrorWriter } from '#test/support/mirror-writer.ts';
import { type FreshDatabase, freshDatabase } from '#test/support/postgres.ts';
import { proxyTo } from '#test/support/proxy-to.ts';
import { serveInside } from '#test/support/serving.ts';
import { until } from '#test/support/until.ts';

async function linesOf(staleness: Parameters<typeof measureStaleness>[1]) {
  const registry = new Registry();
  measureStaleness(registry, staleness);
  return (await registry.metrics()).split('\n').filter((line) => /^gatehouse/.test(line));
}

describe('the measured staleness', () => {
  it('is the age of the heartbeat in seconds, and each kind', async () => {
    const kinds = [
      { resource: 'namespaces', isStale: false },
      { resource: 'nodes', isStale: true },
    ];
    expect(await linesOf(async () => ({ beatAgeMs: 250, kinds }))).toEqual([
      'gatehouse_mirror_heartbeat_seconds 0.25',
      'gatehouse_mirror_stale{resource="namespaces"} 0',
      'gatehouse_mirror_stale{resource="nodes"} 1',
    ]);
  });

  it('is infinite where there was no heartbeat', async () => {
    const staleness = async () => ({ beatAgeMs: Number.POSITIVE_INFINITY, kinds: [] });
    expect(await linesOf(staleness)).toEqual(['gatehouse_mirror_heartbeat_seconds +Inf']);
  });
});

describe('the metrics of a process that listens to the mirror', () => {
  let fresh: FreshDatabase;
  beforeAll(async () => {
    fresh = await freshDatabase();
  }, 30_000);
  afterAll(() => fresh.drop());

  it('say whether the caches are stale, and that they are when the database is away', async () => {
    const way = await proxyTo(fresh.url);
    const sql = postgres(fresh.url, { max: 1 });
    const configMap = { namespace: 'team-a', name: 'document' };
    const settings = { podBootstrap: { configMap } };
    const serving = await serveInside({ databaseUrl: way.url, settings });
    const metrics = async () =>
      (await fetch(`http://127.0.0.1:${serving.probePort}/metrics`)).text();
    const says = (text: string) => until(async () => (await metrics()).includes(text));
    try {
      const writer = mirrorWriter(sql, 'default');
      const metadata = { name: 'a', uid: 'a' };
      await says('gatehouse_mirror_stale{resource="namespaces"} 1');
      await writer.put(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
      await says('gatehouse_mirror_stale{resource="namespaces"} 0');
      expect(await metrics()).toContain('gatehouse_mirror_stale{resource="configmaps"} 1');
      const scope = { kind: configMaps, namespace: 'team-a', fields: 'metadata.name=document' };
      await writer.put(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata }, [], scope);
      await says('gatehouse_mirror_stale{resource="configmaps"} 0');
      expect(await metrics()).toMatch(/gatehouse_mirror_heartbeat_seconds [0-3](\.|$)/m);
      way.cut();
      await says('gatehouse_mirror_heartbeat_seconds +Inf');
      await says('gatehouse_mirror_stale{resource="namespaces"} 1');
    } finally {
      await serving.stop();
      way.close();
      await sql.end({ timeout: 0 });
    }
  });
});
