import { describe, expect, it } from 'vitest';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { configMaps, namespaces, pods } from '#shared/domain/kind.ts';

const map = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'team-a' },
});

/** What both clusters do is in the contract; here is what only this one can. */
describe('the cluster in memory', () => {
  it('begins with the objects that it is given, complete', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: {},
      status: { phase: 'Running' },
    };
    const cluster = clusterInMemory(pod, map('a'));
    expect(await cluster.find({ kind: pods, namespace: 'team-a', name: 'web' })).toMatchObject({
      metadata: { uid: expect.any(String), resourceVersion: '1', generation: 1 },
      status: { phase: 'Running' },
    });
    expect(cluster.objects(configMaps)).toHaveLength(1);
  });

  it('keeps a uid that a test states', () => {
    const metadata = { name: 'a', uid: 'known' };
    const cluster = clusterInMemory({ apiVersion: 'v1', kind: 'Namespace', metadata });
    expect(cluster.objects(namespaces)[0]?.metadata.uid).toBe('known');
  });

  it('shows one object in every version of its group', async () => {
    const cluster = clusterInMemory(map('a'));
    const other = { ...configMaps, version: 'v2' };
    expect(await cluster.find({ kind: other, namespace: 'team-a', name: 'a' })).toBeDefined();
  });

  it('lets a list lose its place between two pages, and not before', async () => {
    const cluster = clusterInMemory(map('a'), map('b'), map('c'));
    const list = cluster.list(configMaps, { pageSize: 2 })[Symbol.asyncIterator]();
    await list.next();
    cluster.compact();
    expect((await list.next()).value).toMatchObject({ metadata: { name: 'b' } });
    await expect(list.next()).rejects.toThrow('the list has to be read anew');
  });

  it('lists what was there when the list began', async () => {
    const cluster = clusterInMemory(map('a'), map('b'));
    const list = cluster.list(configMaps)[Symbol.asyncIterator]();
    await list.next();
    await cluster.create(configMaps, map('c'));
    await list.next();
    expect((await list.next()).done).toBe(true);
  });

  it('does not change with the object that it was given', async () => {
    const stated = { ...map('a'), data: { key: 'value' } };
    const cluster = clusterInMemory(stated);
    stated.data.key = 'changed';
    expect(cluster.objects(configMaps)[0]?.['data']).toEqual({ key: 'value' });
  });
});
