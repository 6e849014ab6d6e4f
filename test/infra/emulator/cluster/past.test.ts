import { describe, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import {
  forever,
  heard,
  maps,
  watching,
} from '#test/shared/adapters/cluster/stream/streaming-server.ts';
import { opened, put } from './opened.ts';

const options = { resourceVersion: '1', timeoutSeconds: 60, idleMs: 5_000, signal: forever };

describe('the past of the fake cluster', () => {
  it('is forgotten on command, of one resource or of all', async () => {
    const { cluster, stream } = await opened();
    put(cluster, 'a', 'b');
    cluster.past.compact('pods');
    expect((await stream.watch(maps, options)).kind).toBe('open');
    cluster.past.compact();
    expect(await heard(await watching(stream, options))).toMatchObject({
      end: { kind: 'expired' },
    });
  });

  it.each([
    ['status', { kind: 'expired' }],
    ['event', { kind: 'open', end: { kind: 'expired' } }],
    ['empty', { kind: 'open', lines: [], end: { kind: 'closed' } }],
  ] as const)('is too old in one shape from then on: %s', async (shape, expected) => {
    const { cluster, stream } = await opened();
    put(cluster, 'a');
    cluster.past.compact('configmaps', shape);
    for (let turn = 0; turn < 3; turn += 1) {
      const watch = await stream.watch(maps, options);
      const end = watch.kind === 'open' ? await heard(watch) : {};
      expect({ ...watch, ...end }).toMatchObject(expected);
    }
    const listed = await stream.version(maps, forever);
    const fresh = { ...options, resourceVersion: String(versionOf(listed)), timeoutSeconds: 1 };
    expect((await stream.watch(maps, fresh)).kind).toBe('open');
    cluster.past.restart();
    put(cluster, 'b');
    cluster.past.restart();
    expect(await heard(await watching(stream, fresh))).toMatchObject({ end: { kind: 'expired' } });
  });

  it('is no longer than its window', async () => {
    const { cluster, stream } = await opened({ historySize: 5 });
    const names = Array.from({ length: 30 }, (_, index) => `n${index}`);
    put(cluster, ...names);
    expect(await heard(await watching(stream, options))).toMatchObject({
      end: { kind: 'expired' },
    });
  });

  it('ends the connections of a server that begins anew, and what it knew', async () => {
    const { cluster, stream } = await opened();
    const watch = heard(await watching(stream, options));
    put(cluster, 'a');
    cluster.past.restart();
    expect((await watch).end.kind).toBe('cut');
    expect(await heard(await watching(stream, options))).toMatchObject({
      end: { kind: 'expired' },
    });
  });

  it('comes back with its versions when it is restored, and nobody is told', async () => {
    const { cluster, stream } = await opened();
    put(cluster, 'a', 'b');
    const snapshot = cluster.past.snapshot();
    put(cluster, 'c');
    cluster.objects.delete(configMaps, { namespace: 'default', name: 'a' });
    const before = await stream.version(maps, forever);
    cluster.past.restore(snapshot);
    const after = await stream.version(maps, forever);
    expect(versionOf(after)).toBeLessThan(versionOf(before));
    const listed = await stream.list(maps, { limit: 10, signal: forever });
    const names = listed.kind === 'page' ? listed.objects.map(({ metadata }) => metadata.name) : [];
    expect(names).toEqual(['a', 'b']);

    const future = { ...options, resourceVersion: String(versionOf(before)), timeoutSeconds: 1 };
    expect((await stream.watch(maps, future)).kind).toBe('open');
    put(cluster, 'd');
    expect(cluster.ledger.entries().at(-1)).toMatchObject({ name: 'd', epoch: 2 });
  });

  it('is that of another cluster where it becomes one', async () => {
    const { cluster, stream } = await opened();
    const before = await stream.identity(forever);
    cluster.past.becomeAnother('another');
    expect(before).not.toBe('another');
    expect(await stream.identity(forever)).toBe('another');
  });
});

function versionOf(answer: { readonly kind: string; readonly resourceVersion?: string }): number {
  return Number(answer.resourceVersion);
}
