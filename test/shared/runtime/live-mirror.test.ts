import { describe, expect, it } from 'vitest';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { configMaps, secrets } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import type { Access, Mirror } from '#shared/ports.ts';
import { liveMirror } from '#shared/runtime/live-mirror.ts';
import { mapChanged, reconcileBy } from '#test/support/running.ts';

const stale = { object: undefined, resourceVersion: '1' };
const mirror: Mirror = {
  find: async () => stale,
  findByUid: async () => ({ ...stale, isDeleted: false }),
  list: () => Promise.reject(new Error('not asked')),
};
const at = { namespace: 'team-a', name: 'one' };

async function found(
  access: readonly Access[],
  uses: readonly ['cluster'] | readonly [] = ['cluster'],
  place: Parameters<Mirror['find']>[1] = at,
) {
  const cluster = clusterInMemory();
  const metadata = { namespace: 'team-a', name: 'one' };
  await cluster.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const definition = { ...reconcileBy(() => done, { uses }), access };
  return liveMirror(mirror, cluster, definition).find(configMaps, place);
}

describe('the mirror of a run after a conflict', () => {
  it('finds in the cluster itself what the function may get there', async () => {
    const { object, resourceVersion } = await found([{ kind: configMaps, verbs: ['get'] }]);
    expect(object?.metadata.name).toBe('one');
    expect(resourceVersion).toBe(object?.metadata.resourceVersion);
  });

  it('finds at the place that a message names, whatever else the message says', async () => {
    const { object } = await found(
      [{ kind: configMaps, verbs: ['get'] }],
      ['cluster'],
      mapChanged(),
    );
    expect(object?.metadata.name).toBe('one');
  });

  it.each<[string, readonly Access[]]>([
    ['nothing', []],
    ['another kind', [{ kind: secrets, verbs: ['get'] }]],
    ['to write it only', [{ kind: configMaps, verbs: ['patch'] }]],
    ['one object of the kind', [{ kind: configMaps, verbs: ['get'], names: ['two'] }]],
    ['its own namespace', [{ kind: configMaps, verbs: ['get'], namespace: 'installation' }]],
  ])('stays with what it has where the function may get %s', async (_, access) => {
    expect(await found(access)).toEqual(stale);
  });

  it('asks no cluster for a function that uses none', async () => {
    expect(await found([{ kind: configMaps, verbs: ['get'] }], [])).toEqual(stale);
  });
});
