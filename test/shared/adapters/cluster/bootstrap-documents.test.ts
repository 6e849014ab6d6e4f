import { describe, expect, it } from 'vitest';
import { clockAt } from '#infra/emulator/testing/clock-at.ts';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import {
  liveBootstrapDocuments,
  openBootstrapDocuments,
} from '#shared/adapters/cluster/bootstrap-documents.ts';
import type { Cluster } from '#shared/ports.ts';
import {
  bundleOf,
  hashOfAbc,
  keeping,
  mapAt,
  mapOf,
  mapTo,
  noSettings,
  put,
} from '#test/support/boot-document.ts';
import { answering, clusterOf, refusing, type Script } from './scripted-server.ts';

function stage(cluster: Cluster, deadlineMs = 1_000) {
  const clock = clockAt('2030-01-01T00:00:00Z');
  const { keeper, told } = keeping();
  const options = { settings: noSettings, keeper, clock, deadlineMs };
  const documents = openBootstrapDocuments(cluster, options);
  const target = async () => (await documents.current())?.overrides['a.example'];
  return { clock, documents, told, target };
}

describe('the live document', () => {
  it('is read once in five seconds, however many pods come', async () => {
    const memory = clusterInMemory();
    let reads = 0;
    const find: Cluster['find'] = (at) => {
      reads += 1;
      return memory.find(at);
    };
    const { clock, target } = stage({ ...memory, find });
    await put(memory, mapTo('one.example'));
    for (let pod = 0; pod < 100; pod += 1) expect(await target()).toBe('one.example');
    expect(reads).toBe(1);

    await put(memory, mapTo('two.example'));
    clock.advanceMs(5_000);
    expect(await target()).toBe('two.example');
    expect(reads).toBe(2);
  });

  it.each([
    ['text that is none', (memory: Cluster) => put(memory, mapOf('{'))],
    ['an unknown feature', (memory: Cluster) => put(memory, mapOf({ availableFeatures: ['x'] }))],
    ['nothing any more', (memory: Cluster) => memory.delete(mapAt)],
  ])('stays the last good one where there is %s, and says so once', async (_, spoil) => {
    const memory = clusterInMemory();
    const { clock, target, told } = stage(memory);
    await put(memory, mapTo('good.example'));
    expect(await target()).toBe('good.example');
    await spoil(memory);
    clock.advanceMs(5_000);
    expect(await target()).toBe('good.example');
    clock.advanceMs(5_000);
    expect(await target()).toBe('good.example');
    expect(told.map(({ problems }) => problems.length > 0)).toEqual([false, true]);
  });

  it('is none where there never was one, and that is told as well', async () => {
    const { documents, target, told } = stage(clusterInMemory());
    expect(await target()).toBeUndefined();
    expect(told).toMatchObject([{ problems: ['there is no such ConfigMap'] }]);
    expect(await documents.problems()).toEqual(['there is no such ConfigMap']);
  });

  it('stays while the cluster does not answer, and none is known before', async () => {
    const memory = clusterInMemory();
    let isAway = true;
    const never = new Promise<never>(() => undefined);
    const find: Cluster['find'] = (at) => (isAway ? never : memory.find(at));
    const { clock, target } = stage({ ...memory, find }, 20);
    await expect(target()).rejects.toThrow('no answer within 20 ms');

    isAway = false;
    clock.advanceMs(5_000);
    await put(memory, mapTo('good.example'));
    expect(await target()).toBe('good.example');
    isAway = true;
    clock.advanceMs(60_000);
    expect(await target()).toBe('good.example');
  });

  it('is read past what is remembered for who wants to know what stands there', async () => {
    const memory = clusterInMemory();
    const { documents, target } = stage(memory);
    await put(memory, mapTo('one.example'));
    await target();
    await put(memory, mapOf('{'));
    expect(await documents.readLive()).toMatchObject({
      problems: [expect.stringContaining('no JSON object')],
      uid: expect.any(String),
    });
  });
});

describe('a live trust bundle', () => {
  it('is known by the hash of its text, and where it is not there', async () => {
    const memory = clusterInMemory();
    const { documents, clock } = stage(memory);
    expect(await documents.trustBundle('roots')).toEqual({ kind: 'absent' });
    await put(memory, bundleOf('roots', 'abc'));
    clock.advanceMs(5_000);
    expect(await documents.trustBundle('roots')).toEqual({ kind: 'present', hash: hashOfAbc });
  });

  const list = (items: readonly object[]) => ({
    kind: 'ClusterTrustBundleList',
    items,
    metadata: {},
  });
  const servedIn =
    (version: string): Script =>
    (request, response) => {
      const isServed = request.url?.includes(`/apis/certificates.k8s.io/${version}/`) === true;
      const answer = isServed
        ? answering(200, list([bundleOf('roots', 'abc')]))
        : answering(404, '404 page not found');
      answer(request, response);
    };

  it.each([
    ['v1', 1],
    ['v1beta1', 2],
    ['v1alpha1', 3],
  ])('is found where the cluster serves %s', async (version, asked) => {
    const { cluster, requests } = await clusterOf(servedIn(version));
    const { documents } = stage(cluster);
    expect(await documents.trustBundle('roots')).toEqual({ kind: 'present', hash: hashOfAbc });
    expect(requests).toHaveLength(asked);
    expect(requests.at(-1)).toContain('fieldSelector=metadata.name%3Droots');
  });

  it('is not served where no version is, and is looked for again a minute later', async () => {
    const { cluster, requests } = await clusterOf(servedIn('v2'));
    const { documents, clock } = stage(cluster);
    expect(await documents.trustBundle('roots')).toEqual({ kind: 'not-served' });
    clock.advanceMs(29_000);
    expect(await documents.trustBundle('roots')).toEqual({ kind: 'not-served' });
    expect(requests).toHaveLength(3);
    clock.advanceMs(31_000);
    await documents.trustBundle('roots');
    expect(requests).toHaveLength(6);
  });

  it('is unknown where we may not read it, and no error', async () => {
    const { cluster } = await clusterOf(refusing(403, { reason: 'Forbidden' }));
    expect(await stage(cluster).documents.trustBundle('roots')).toEqual({ kind: 'unknown' });
  });
});

describe('the live document that nobody remembers', () => {
  it('is as it stands there whenever it is asked for', async () => {
    const memory = clusterInMemory();
    const { keeper } = keeping();
    const documents = liveBootstrapDocuments(memory, { settings: noSettings, keeper });
    for (const target of ['one.example', 'two.example']) {
      await put(memory, mapTo(target));
      await put(memory, bundleOf('roots', target === 'one.example' ? 'old' : 'abc'));
      expect((await documents.current())?.overrides['a.example']).toBe(target);
      expect((await documents.readLive()).document?.overrides['a.example']).toBe(target);
    }
    const bundle = { kind: 'present', hash: hashOfAbc };
    expect(await documents.trustBundle('roots')).toEqual(bundle);
  });

  it('is asked for once where hundreds of runs ask at once', async () => {
    const memory = clusterInMemory();
    await put(memory, mapTo('one.example'));
    let finds = 0;
    const find: Cluster['find'] = (at) => {
      finds += 1;
      return memory.find(at);
    };
    const { keeper } = keeping();
    const documents = liveBootstrapDocuments({ ...memory, find }, { settings: noSettings, keeper });
    await Promise.all(Array.from({ length: 500 }, () => documents.current()));
    expect(finds).toBe(1);
  });

  it('asks once for all runs of a kind that is not served, and anew for whoever asks later', async () => {
    const { cluster, requests } = await clusterOf(refusing(404, {}));
    const { keeper } = keeping();
    const documents = liveBootstrapDocuments(cluster, { settings: noSettings, keeper });
    const read = () => documents.trustBundle('roots');
    const found = await Promise.all(Array.from({ length: 500 }, read));
    expect(found).toEqual(Array(500).fill({ kind: 'not-served' }));
    expect(requests).toHaveLength(3);
    await read();
    expect(requests).toHaveLength(6);
  });

  it('fails in an outage: the one before it may be from before what woke the reader', async () => {
    const memory = clusterInMemory();
    let isAway = false;
    const find: Cluster['find'] = (at) =>
      isAway ? Promise.reject(new Error('away')) : memory.find(at);
    const { keeper } = keeping();
    const documents = liveBootstrapDocuments({ ...memory, find }, { settings: noSettings, keeper });
    await put(memory, mapTo('one.example'));
    await documents.current();
    isAway = true;
    await expect(documents.current()).rejects.toThrow('away');
  });

  it.each([
    ['is unknown where we may not read it', refusing(403, {}), { kind: 'unknown' }],
    [
      'fails in an outage, of which nobody would tell the reader the end',
      refusing(503, {}),
      undefined,
    ],
  ])('of a bundle %s', async (_, script, expected) => {
    const { cluster } = await clusterOf(script);
    const { keeper } = keeping();
    const documents = liveBootstrapDocuments(cluster, { settings: noSettings, keeper });
    const read = documents.trustBundle('roots').catch(() => undefined);
    expect(await read).toEqual(expected);
  });
});
