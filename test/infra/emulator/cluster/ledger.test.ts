import { describe, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import { forever, maps, watching } from '#test/shared/adapters/cluster/stream/streaming-server.ts';
import { changesOf, map, opened, put } from './opened.ts';

const at = (name: string) => ({ namespace: 'default', name });

describe('the ledger', () => {
  it('has every change in order, with what it was and when', async () => {
    const { cluster } = await opened();
    cluster.ledger.forget();
    const before = Date.now() - 1;
    const made = cluster.objects.create(configMaps, map('a'));
    cluster.objects.patch(configMaps, at('a'), { metadata: { labels: { app: 'web' } } });
    cluster.objects.patch(configMaps, at('a'), { metadata: { labels: { app: 'web' } } });
    cluster.objects.delete(configMaps, at('a'));
    const entries = cluster.ledger.entries();
    expect(entries.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    expect(entries[2]).toMatchObject({
      resource: 'configmaps',
      uid: made.uid,
      namespace: 'default',
      name: 'a',
      version: made.version + 2,
      labels: { app: 'web' },
      epoch: 1,
    });
    expect(entries.every((entry) => entry.at >= before && entry.at <= Date.now() + 1)).toBe(true);
  });

  it('tells of a write that was prepared when it is made, and of none that somebody else was before', async () => {
    const { cluster } = await opened();
    const { version } = cluster.objects.create(configMaps, map('a'));
    cluster.ledger.forget();
    const [one, other] = ['1', '2'].map((x) =>
      cluster.objects.preparePatch(configMaps, at('a'), { data: { x } }),
    );
    const meanwhile = cluster.objects.create(configMaps, map('b'));
    expect(one?.().version).toBe(meanwhile.version + 1);
    expect(other).toThrow(/Conflict/);
    expect(cluster.objects.find(configMaps, at('a'))).toMatchObject({
      metadata: { resourceVersion: String(version + 2) },
      data: { x: '1' },
    });
    expect(cluster.ledger.entries().map(({ name }) => name)).toEqual(['b', 'a']);
  });

  it('says what a watch says, version by version', async () => {
    const { cluster, stream } = await opened();
    cluster.ledger.forget();
    const watch = await watching(stream, { resourceVersion: String(cluster.revision()) });
    for (let round = 0; round < 50; round += 1) {
      put(cluster, `n${round}`);
      cluster.objects.patch(configMaps, at(`n${round}`), { data: { x: '1' } });
      if (round % 2 === 0) cluster.objects.delete(configMaps, at(`n${round}`));
    }
    const entries = cluster.ledger.entries();
    const changes = await changesOf(watch, entries.length);
    const told = changes.map(
      ({ type, object: { metadata } }) => `${type} ${metadata.uid} ${metadata.resourceVersion}`,
    );
    expect(told).toEqual(entries.map(({ type, uid, version }) => `${type} ${uid} ${version}`));
  });

  it('stands beside counts of what was asked', async () => {
    const { cluster, stream } = await opened();
    await stream.version(maps, forever);
    await stream.list(maps, { limit: 10, signal: forever });
    await stream.find(maps, at('a'), forever);
    await watching(stream);
    const { requests } = cluster;
    const counts = (['version', 'list', 'get', 'watch'] as const).map((verb) =>
      requests.of(verb, 'configmaps'),
    );
    expect(counts).toEqual([1, 1, 1, 1]);
    expect(requests.of('list', 'pods')).toBe(0);
  });
});
