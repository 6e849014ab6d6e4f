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

  // The fake alone: a real server ends such a watch as well, but when it does lies with the sockets' buffers and the time
  // that it has for all watchers, of which a test knows neither.
  it('ends a watch in good order whose reader is behind by more than it keeps for him, who then goes on', async () => {
    const { cluster, stream } = await opened({ mostBehind: 50 });
    const from = String(cluster.revision());
    const [slow, quick] = [await watching(stream), await watching(stream)];
    const filler = 'x'.repeat(50_000);
    for (let round = 0; round < 300; round += 1) {
      cluster.objects.create(configMaps, map(`n${round}`, { filler }));
      await changesOf(quick, 1);
    }
    const { lines, end } = await heard(slow);
    expect(end).toEqual({ kind: 'closed' });
    const seen = lines.filter((line) => line.kind === 'change');
    expect(seen.length).toBeLessThan(250);
    const resourceVersion = seen.at(-1)?.object.metadata.resourceVersion ?? from;
    // More is past than would be kept for it, and all of that comes.
    const again = await watching(stream, { resourceVersion });
    const rest = await changesOf(again, 300 - seen.length);
    expect([...seen, ...rest].map(({ object }) => object.metadata.name)).toEqual(
      Array.from({ length: 300 }, (_, index) => `n${index}`),
    );
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
