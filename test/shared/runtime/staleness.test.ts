import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import followNamespace from '#functions/image-trust/follow-namespace.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { verdictsOn } from '#shared/adapters/database/image-verdicts.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import type { VerdictStore } from '#shared/domain/image-trust/verdict-store.ts';
import { configMaps, namespaces } from '#shared/domain/kind.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { measureStaleness } from '#shared/runtime/staleness.ts';
import { wire } from '#shared/runtime/wire.ts';
import { rules, stage } from '#test/support/image-trust/judging.ts';
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

describe('what a process remembers of the mirror', () => {
  let fresh: FreshDatabase;
  beforeAll(async () => {
    fresh = await freshDatabase();
  }, 30_000);
  afterAll(() => fresh.drop());

  /** Namespaces are followed, and nothing is heard of them from here on. */
  async function following(settings: Partly<Settings>) {
    const way = await proxyTo(fresh.url);
    const sql = postgres(fresh.url, { max: 1 });
    const wiring = wire({
      settings: settingsFixed(settings),
      conditions: conditionsRecorded(),
      measures: measuresRecorded(),
      login: undefined,
      databaseUrl: way.url,
      isListening: true,
    });
    onTestFinished(async () => {
      await wiring.close();
      way.close();
      await sql.end({ timeout: 0 });
    });
    const isStale = async (is: boolean) =>
      (await wiring.staleness()).kinds.find(({ resource }) => resource === 'namespaces')
        ?.isStale === is;
    const metadata = { name: 'a', uid: 'a' };
    const writer = mirrorWriter(sql, settings.installation?.cluster ?? 'default');
    const began = performance.now();
    await writer.put(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    await until(() => isStale(false));
    return { way, wiring, isStale, began };
  }

  it('counts for nothing three seconds after the last heartbeat of the database', async () => {
    const { way, wiring, isStale } = await following({ installation: { cluster: 'beating' } });
    expect((await wiring.staleness()).beatAgeMs).toBeLessThan(3_000);
    way.freeze();
    expect(await until(() => isStale(true), 10_000)).toBeGreaterThan(1_000);
  });

  it('counts for nothing after three quarters of the time in which a watch counts as dead', async () => {
    const settings = { installation: { cluster: 'quiet' }, forwarder: { idleMs: 4_000 } };
    const { wiring, isStale, began } = await following(settings);
    await until(() => isStale(true), 10_000);
    expect(performance.now() - began).toBeGreaterThan(2_500);
    expect((await wiring.staleness()).beatAgeMs).toBeLessThan(3_000);
  });
});

describe('a database that is left', () => {
  it('is asked nothing any more: the cluster is, and what was remembered is forgotten', async () => {
    const { url, drop } = await freshDatabase();
    const sql = postgres(url, { max: 1 });
    const wiring = wire({
      settings: settingsFixed({}),
      conditions: conditionsRecorded(),
      measures: measuresRecorded(),
      login: undefined,
      databaseUrl: url,
      isListening: true,
    });
    const metadata = { name: 'a', uid: 'a', labels: { tier: 'remembered' } };
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata };
    await mirrorWriter(sql, 'default').put(namespaces, object);
    const { ports } = wiring;
    await until(
      async () => (await ports.namespaces.find('a').catch(() => undefined)) !== undefined,
    );
    await wiring.leaveDatabase();
    await expect(ports.namespaces.find('a')).rejects.toThrow('no cluster is named');
    await expect(ports.mirror.find(namespaces, { name: 'a' })).rejects.toThrow();
    await expect(wiring.database()).rejects.toThrow('not used');
    expect((await wiring.staleness()).beatAgeMs).toBe(Number.POSITIVE_INFINITY);
    await wiring.close();
    await sql.end();
    await drop();
  });

  it('is forgotten by the judge of images, who then goes by what is verified anew', async () => {
    const { url, drop } = await freshDatabase();
    const sql = postgres(url, { max: 2 });
    const image = `registry.example/app@sha256:${'a'.repeat(64)}`;
    const judgement = { kind: 'untrusted', why: 'bad-proof', note: 'of misread tables' } as const;
    const wiring = wire({
      settings: settingsFixed({}),
      conditions: conditionsRecorded(),
      measures: measuresRecorded(),
      login: undefined,
      databaseUrl: url,
    });
    const recalled = async (images = wiring.ports.images) => {
      const { signal } = new AbortController();
      const [found] = await images.recall([image], { rules, isDryRun: false, signal });
      return found?.judgement;
    };
    const store = verdictsOn(sql, { cluster: 'default' });
    const freshUntil = new Date(Date.now() + 5_000);
    const keeping: VerdictStore['find'] = async (collection, [asked]) => {
      const verdict = { tag: undefined, digest: '', ...asked, judgement, also: [], freshUntil };
      const proof = { root: '', isChange: false, before: [] };
      await store.keep(collection, [{ ...verdict, validUntil: freshUntil }], proof);
      return [];
    };
    const { replica } = stage({}, () => ({ ...store, find: keeping }));
    await recalled(replica());
    expect(await recalled()).toEqual(judgement);
    expect(await recalled(wiring.portsOf(followNamespace).images)).toEqual(judgement);
    await wiring.leaveDatabase();
    const unverified = expect.objectContaining({ kind: 'unavailable', why: 'not-verified' });
    expect(await recalled()).toEqual(unverified);
    expect(await recalled(wiring.portsOf(followNamespace).images)).toEqual(unverified);
    await wiring.close();
    await store.close();
    await sql.end();
    await drop();
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
