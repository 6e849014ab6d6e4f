import { describe, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import { heard, watching } from '#test/shared/adapters/cluster/stream/streaming-server.ts';
import { changesOf, map, opened, put } from './opened.ts';

describe('the fake cluster under load', () => {
  it('tells ten watchers two thousand changes each, in order', async () => {
    const { cluster, stream } = await opened();
    const resourceVersion = String(cluster.revision());
    const open = Array.from({ length: 10 }, () => watching(stream, { resourceVersion }));
    const watches = await Promise.all(open);
    const names = Array.from({ length: 2_000 }, (_, index) => `n${index}`);
    put(cluster, ...names);
    for (const watch of watches) {
      const changes = await changesOf(watch, names.length);
      expect(changes.map(({ object }) => object.metadata.name)).toEqual(names);
    }
  });

  it('closes a watch that is slower than the window of its past', async () => {
    const { cluster, stream } = await opened({ historySize: 100 });
    const filler = 'x'.repeat(50_000);
    const watch = await watching(stream);
    for (let round = 0; round < 300; round += 1) {
      cluster.objects.create(configMaps, map(`n${round}`, { filler }));
      if (round % 20 === 0) await new Promise(setImmediate);
    }
    const { end } = await heard(watch);
    expect(['closed', 'expired']).toContain(end.kind);
  });
});
