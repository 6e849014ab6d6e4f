import { describe, expect, it } from 'vitest';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { narrowed } from '#shared/adapters/cluster/narrowed.ts';
import { configMaps, nodes, pods } from '#shared/domain/kind.ts';
import type { Access, AccessVerb, Cluster } from '#shared/ports.ts';

const holder = { function: 'keep-maps', installationNamespace: 'gatehouse-system' };
const map = { kind: configMaps, namespace: 'gatehouse-system', name: 'settings' };
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'gatehouse-system', resourceVersion: '1' },
};
const verbs: readonly AccessVerb[] = ['get', 'list', 'create', 'update', 'patch', 'delete'];

async function attempt(access: readonly Access[], deed: (cluster: Cluster) => unknown) {
  const cluster = narrowed(clusterInMemory(), access, holder);
  return (async () => deed(cluster))().then(
    () => 'allowed',
    (cause: Error) => cause.message,
  );
}

const deeds: readonly [AccessVerb, string, (cluster: Cluster) => unknown][] = [
  ['get', 'find', (cluster) => cluster.find(map)],
  ['list', 'list', (cluster) => cluster.list(configMaps, { namespace: 'gatehouse-system' })],
  ['create', 'create', (cluster) => cluster.create(configMaps, object)],
  ['update', 'replace', (cluster) => cluster.replace(map, object)],
  ['patch', 'patch', (cluster) => cluster.patch(map, { type: 'merge', body: {} })],
  ['patch', 'apply', (cluster) => cluster.apply(map, object, { fieldManager: 'x' })],
  ['delete', 'delete', (cluster) => cluster.delete(map)],
];

describe('a narrowed cluster', () => {
  it.each(deeds)('takes the right to %s for a %s, and no other', async (verb, _, deed) => {
    const others = verbs.filter((other) => other !== verb) as unknown as Access['verbs'];
    expect(await attempt([{ kind: configMaps, verbs: [verb] }], deed)).toBe('allowed');
    expect(await attempt([{ kind: configMaps, verbs: others }], deed)).toMatch(
      `function keep-maps did not state the right to ${verb} configmaps in gatehouse-system`,
    );
  });

  const read = (right: Partial<Access>) =>
    attempt([{ kind: configMaps, verbs: ['get'], ...right }], (cluster) => cluster.find(map));

  it.each<[string, Partial<Access>, boolean]>([
    ['every namespace', {}, true],
    ["the installation's namespace", { namespace: 'installation' }, true],
    ['that very namespace', { namespace: 'gatehouse-system' }, true],
    ['another namespace', { namespace: 'team-a' }, false],
    ['that very name', { names: ['other', 'settings'] }, true],
    ['another name', { names: ['other'] }, false],
    ['no name at all', { names: [] }, false],
    ['another kind', { kind: pods }, false],
    ['a subresource', { subresource: 'status' }, false],
    ['the resource in another group', { kind: { ...configMaps, group: 'other.io' } }, false],
    ['another version of the kind', { kind: { ...configMaps, version: 'v2' } }, true],
  ])('reads with a right for %s: %#', async (_, right, allowed) => {
    expect((await read(right)) === 'allowed').toBe(allowed);
  });

  it('states name and place of what is missing', async () => {
    expect(await read({ verbs: ['list'] })).toBe(
      'function keep-maps did not state the right to get configmaps in gatehouse-system, named settings',
    );
  });

  it('knows an eviction as the making of a subresource', async () => {
    const evict = (cluster: Cluster) => cluster.evict({ kind: pods, namespace: 'a', name: 'web' });
    const right = { kind: pods, verbs: ['create'] } as const;
    expect(await attempt([{ ...right, subresource: 'eviction' }], evict)).toBe('allowed');
    expect(await attempt([right], evict)).toMatch('create pods/eviction in a, named web');
  });

  it('lists by a name with a right for that name alone', async () => {
    const right = { kind: configMaps, verbs: ['list'], names: ['settings'] } as const;
    const list = (fields?: string) =>
      attempt([right], (cluster) => cluster.list(configMaps, { namespace: 'a', fields }));
    expect(await list('metadata.name=settings')).toBe('allowed');
    expect(await list('metadata.name=other')).toMatch('did not state');
    expect(await list('metadata.name!=settings')).toMatch('did not state');
    expect(await list()).toMatch('did not state');
  });

  it('does not take a right in one namespace for a list of all', async () => {
    const right = { kind: configMaps, verbs: ['list'], namespace: 'team-a' } as const;
    expect(await attempt([right], (cluster) => cluster.list(configMaps))).toMatch(
      'list configmaps in every namespace',
    );
  });

  it.each([
    ['settings', 'allowed'],
    ['other', 'did not state the right to create configmaps in gatehouse-system, named settings'],
  ])('holds a creation to the name %s, though RBAC cannot', async (name, expected) => {
    const right = { kind: configMaps, verbs: ['create'], names: [name] } as const;
    const create = (cluster: Cluster) => cluster.create(configMaps, object);
    expect(await attempt([right], create)).toMatch(expected);
  });

  it('takes a name from the settings as they are now', async () => {
    const names = [{ setting: 'podBootstrap.configMap.name', fallback: 'x' }];
    const settings = settingsFixed();
    const right = { kind: configMaps, verbs: ['get'], names } as const;
    const cluster = narrowed(clusterInMemory(), [right], { ...holder, settings });
    await expect(cluster.find(map)).rejects.toThrow('did not state');
    settings.change({ podBootstrap: { configMap: { name: 'settings' } } });
    expect(await cluster.find(map)).toBeUndefined();
  });

  it('takes no right in a namespace for what has none', async () => {
    const right = { kind: nodes, verbs: ['get'], namespace: 'installation' } as const;
    const find = (cluster: Cluster) => cluster.find({ kind: nodes, name: 'n' });
    expect(await attempt([right], find)).toMatch('get nodes, named n');
  });

  it('allows nothing to a function that states nothing', async () => {
    expect(await attempt([], (cluster) => cluster.find(map))).toMatch('did not state');
  });
});
