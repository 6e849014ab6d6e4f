import { describe, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import {
  forever,
  heard,
  isBatch,
  maps,
  namesIn,
  watching,
} from '#test/shared/adapters/cluster/stream/streaming-server.ts';
import { map, opened, put } from './opened.ts';

const options = { resourceVersion: '1', timeoutSeconds: 60, idleMs: 5_000, signal: forever };
const page = { limit: 10, signal: forever };

describe('a fault of the fake cluster', () => {
  it('says in each of the three ways that a version is too old, as often as it is told to', async () => {
    const { cluster, stream } = await opened();
    cluster.faults.gone('status', { times: 1 });
    expect(await stream.watch(maps, options)).toMatchObject({ kind: 'expired' });
    cluster.faults.gone('event', { times: 1 });
    expect(await heard(await watching(stream, options))).toMatchObject({
      end: { kind: 'expired' },
    });
    cluster.faults.gone('empty', { times: 1 });
    expect(await heard(await watching(stream, options))).toEqual({
      lines: [],
      end: { kind: 'closed' },
    });
    expect((await stream.watch(maps, options)).kind).toBe('open');
  });

  it.each([
    [429, { retryAfter: 2 }, { kind: 'busy', afterSeconds: 2 }],
    [401, {}, { kind: 'forbidden' }],
    [403, { reason: 'Forbidden' }, { kind: 'forbidden' }],
    [500, {}, { kind: 'busy' }],
  ])('refuses with %i until it is taken off', async (code, more, expected) => {
    const { cluster, stream } = await opened();
    const off = cluster.faults.refuse({ verb: 'list' }, { code, ...more });
    expect(await stream.list(maps, page)).toMatchObject(expected);
    expect(await stream.list(maps, page)).toMatchObject(expected);
    expect(await stream.version(maps, forever)).toMatchObject({ kind: 'version' });
    off();
    expect(await stream.list(maps, page)).toMatchObject({ kind: 'page' });
  });

  it('is of one resource where it is aimed at one', async () => {
    const { cluster, stream } = await opened();
    cluster.faults.lag({ resource: 'configmaps' });
    expect(await stream.list(maps, page)).toMatchObject({ kind: 'ahead' });
    const pods = { kind: { ...configMaps, kind: 'Pod', resource: 'pods' } };
    expect(await stream.list(pods, page)).toMatchObject({ kind: 'page' });
  });

  it('ends watches in good order, or breaks them', async () => {
    const { cluster, stream } = await opened();
    const first = heard(await watching(stream, options));
    cluster.faults.dropWatches();
    expect((await first).end).toEqual({ kind: 'closed' });
    const second = heard(await watching(stream, options));
    cluster.faults.cutWatches('configmaps');
    expect((await second).end.kind).toBe('cut');
  });

  it('breaks a watch inside of a line', async () => {
    const { cluster, stream } = await opened();
    const watch = heard(await watching(stream, options));
    cluster.faults.cutInLine();
    put(cluster, 'a');
    expect(await watch).toMatchObject({ lines: [], end: { kind: 'cut' } });
  });

  it('leaves a watch connected and silent, and takes new ones', async () => {
    const { cluster, stream } = await opened({ bookmarkMs: 20 });
    const frozen = heard(await watching(stream, { ...options, idleMs: 80 }));
    cluster.faults.halfOpen();
    put(cluster, 'a');
    expect(await frozen).toMatchObject({ end: { kind: 'idle' } });
    const fresh = await watching(stream, options);
    expect(namesIn(await linesOf(fresh.next()))).toContain('a');
  });

  it('trickles, and no letter is lost', async () => {
    const { cluster, stream } = await opened();
    cluster.faults.slow({ bytes: 7, everyMs: 0 });
    const watch = await watching(stream, options);
    cluster.objects.create(configMaps, map('a', { text: 'Größe 漢字 🚪' }));
    expect(await linesOf(watch.next())).toMatchObject([
      { object: { data: { text: 'Größe 漢字 🚪' } } },
    ]);
  });

  it('takes a request and never answers', async () => {
    const { cluster, stream } = await opened();
    cluster.faults.silence({ verb: 'watch', times: 1 });
    await expect(stream.watch(maps, { ...options, idleMs: 50 })).rejects.toThrow('no answer');
  });

  it('knows but one token', async () => {
    const { cluster, stream } = await opened();
    cluster.faults.requireToken('another');
    expect(await stream.list(maps, page)).toMatchObject({ kind: 'forbidden' });
    cluster.faults.requireToken(undefined);
    expect(await stream.list(maps, page)).toMatchObject({ kind: 'page' });
  });
});

async function linesOf(next: ReturnType<Awaited<ReturnType<typeof watching>>['next']>) {
  const lines = await next;
  if (!isBatch(lines)) throw new Error(`the watch ended: ${lines.kind}`);
  return lines;
}
