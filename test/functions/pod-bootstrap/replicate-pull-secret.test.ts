import { describe, expect, it } from 'vitest';
import replicatePullSecret from '#functions/pod-bootstrap/replicate-pull-secret.ts';
import { emulate } from '#infra/emulator/world/emulate.ts';
import type { Stated } from '#infra/emulator/world/manifest.ts';
import type { EmulateOptions, World } from '#infra/emulator/world/world.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { allFeatures } from '#shared/domain/pod-bootstrap/feature.ts';
import { replicaOf } from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
import {
  credentials,
  credentialsOf,
  documentMap,
  home,
  namespaceOf,
  optOut,
  pullSecret,
  secretName,
} from '#test/support/pull-secret.ts';

type Given = Partial<Pick<EmulateOptions, 'objects' | 'config' | 'functions'>> & {
  readonly document?: JsonObject;
};

async function settled(given: Given = {}): Promise<World> {
  const { objects = [], document, config = {}, functions = [replicatePullSecret] } = given;
  const world = await emulate({
    functions,
    objects: [
      ...[documentMap(document), namespaceOf(home), namespaceOf('team-a'), namespaceOf('team-b')],
      ...[pullSecret(home, 'first'), objects].flat(),
    ] as EmulateOptions['objects'] & object,
    config,
  });
  await world.settle();
  return world;
}

function find(world: World, namespace: string) {
  return world.find(`Secret ${namespace}/${secretName}`);
}

async function textIn(world: World, namespace: string): Promise<unknown> {
  return credentialsOf(await find(world, namespace));
}

/** What was written to Secrets since, as `apply team-a`. */
function writesSince(world: World, count: number): readonly string[] {
  const runs = world.decisions().slice(count);
  const writes = runs.flatMap((each) => (each.kind === 'run' ? each.writes : []));
  return writes
    .filter(({ object }) => object.startsWith('Secret '))
    .map(({ verb, object }) => `${verb} ${object.slice('Secret '.length).split('/')[0]}`)
    .toSorted();
}

async function reasons(world: World): Promise<readonly unknown[]> {
  return (await world.find('Event')).map(({ reason, regarding }) => [
    reason,
    (regarding as JsonObject)['namespace'],
  ]);
}

function conditionOf(world: World) {
  return world.reports().conditions.find(({ name }) => name === 'pull-secret');
}

function isTeam(namespace: string): boolean {
  return ['team-a', 'team-b'].includes(namespace);
}

describe('replicate-pull-secret', () => {
  it('copies the credentials alone, and says for people where they are from', async () => {
    const extra = { data: { '.dockerconfigjson': credentials('first'), more: 'eA==' } };
    const metadata = {
      name: secretName,
      namespace: home,
      labels: { a: 'b' },
      annotations: { c: 'd' },
    };
    await using world = await settled({
      objects: [pullSecret(home, 'first', { ...extra, metadata })],
    });
    const { uid, resourceVersion } = (await find(world, home))?.metadata ?? {};
    expect(await find(world, 'team-a')).toMatchObject({
      type: 'kubernetes.io/dockerconfigjson',
      metadata: {
        labels: {
          'app.kubernetes.io/managed-by': 'gatehouse',
          'app.kubernetes.io/component': 'pull-secret-replica',
        },
        annotations: {
          'gatehouse.io/copied-from': JSON.stringify({ namespace: home, uid, resourceVersion }),
        },
      },
    });
    expect((await find(world, 'team-a'))?.['data']).toEqual({
      '.dockerconfigjson': credentials('first'),
    });
    expect((await find(world, 'team-a'))?.metadata.annotations).not.toHaveProperty('c');
  });

  it('B15 leaves the source’s own namespace alone, and gives every other one its replica as it comes', async () => {
    await using world = await settled();
    const before = await find(world, home);
    await world.apply(namespaceOf('new'));
    await world.settle();
    expect(await textIn(world, 'new')).toBe(credentials('first'));
    expect(await textIn(world, 'kube-system')).toBe(credentials('first'));
    expect(await find(world, home)).toEqual(before);
  });

  it('writes a rotated source once into each namespace, and nothing where the bytes are the same', async () => {
    await using world = await settled();
    let count = world.decisions().length;
    await world.apply(pullSecret(home, 'second'));
    await world.settle();
    const everywhere = ['default', 'kube-system', 'team-a', 'team-b'].map(
      (name) => `apply ${name}`,
    );
    expect(writesSince(world, count)).toEqual(everywhere);
    expect(await textIn(world, 'team-b')).toBe(credentials('second'));

    count = world.decisions().length;
    const labels = { some: 'label' };
    await world.apply(
      pullSecret(home, 'second', { metadata: { name: secretName, namespace: home, labels } }),
    );
    await world.settle();
    expect(writesSince(world, count)).toEqual([]);
  });

  it('B27 heals a replica that was edited, whatever its annotations say', async () => {
    await using world = await settled();
    const replica = await find(world, 'team-a');
    if (replica === undefined) throw new Error('no replica');
    await world.apply({ ...replica, data: { '.dockerconfigjson': credentials('mine') } });
    await world.settle();
    expect(await textIn(world, 'team-a')).toBe(credentials('first'));
  });

  it('hears of each of its own writes, and need not look at what it wrote over what it had read', async () => {
    const told: boolean[] = [];
    const listening: ReconcileFunction<typeof replicatePullSecret.uses> = {
      ...replicatePullSecret,
      handler(wake, ports, run) {
        if (wake.kind === 'object' && wake.resource === 'secrets' && isTeam(wake.namespace)) {
          told.push(run?.isOwnWrite === true);
        }
        return replicatePullSecret.handler(wake, ports, run);
      },
    };
    await using world = await settled({ functions: [listening] });
    // Made where nothing was: another run may have made it first.
    expect(told).toEqual([false, false]);
    const replica = await find(world, 'team-a');
    if (replica === undefined) throw new Error('no replica');
    await world.apply({ ...replica, data: { '.dockerconfigjson': credentials('mine') } });
    await world.settle();
    expect(await textIn(world, 'team-a')).toBe(credentials('first'));
    expect(told.slice(2)).toEqual([false, true]);
  });

  it('B27 makes a replica anew that was deleted', async () => {
    await using world = await settled();
    await world.delete(`Secret team-a/${secretName}`);
    await world.settle();
    expect(await textIn(world, 'team-a')).toBe(credentials('first'));
  });

  it('leaves other keys and labels of a replica to those who write them', async () => {
    await using world = await settled();
    const replica = await find(world, 'team-a');
    if (replica === undefined) throw new Error('no replica');
    const labels = { ...replica.metadata.labels, theirs: 'yes' };
    const data = { '.dockerconfigjson': credentials('first'), more: 'eA==' };
    await world.apply({ ...replica, metadata: { ...replica.metadata, labels }, data });
    await world.apply(pullSecret(home, 'second'));
    await world.settle();
    expect(await find(world, 'team-a')).toMatchObject({
      metadata: { labels: { theirs: 'yes' } },
      data: { '.dockerconfigjson': credentials('second'), more: 'eA==' },
    });
  });

  it('B27 takes the replicas away when the source is gone, and brings them with it again', async () => {
    await using world = await settled();
    await world.delete(`Secret ${home}/${secretName}`);
    await world.settle();
    expect(await world.find('Secret')).toEqual([]);
    await world.apply(pullSecret(home, 'second'));
    await world.settle();
    expect(await world.find('Secret')).toHaveLength(5);
  });

  const misled = { podBootstrap: { pullSecret: { namespace: 'typo' } } };
  const copiedBefore = replicaOf(pullSecret(home, 'first'), 'team-a');

  it('takes nothing away where its settings lead to another place, until that has a source', async () => {
    await using world = await settled({ objects: [copiedBefore], config: misled });
    expect(await textIn(world, 'team-a')).toBe(credentials('first'));
    expect(conditionOf(world)).toMatchObject({
      holds: false,
      why: expect.stringContaining('there is no Secret typo/'),
    });

    await world.apply(namespaceOf('typo'));
    await world.apply(pullSecret('typo', 'first'));
    await world.settle();
    expect(conditionOf(world)).toMatchObject({ holds: true });
    await world.delete(`Secret typo/${secretName}`);
    await world.settle();
    expect(await find(world, 'team-a')).toBeUndefined();
  });

  it('takes away what was copied in another place where nothing is in either', async () => {
    await using world = await emulate({
      functions: [replicatePullSecret],
      objects: [documentMap(), namespaceOf(home), namespaceOf('team-a'), copiedBefore] as Stated[],
      config: misled,
    });
    await world.settle();
    expect(await find(world, 'team-a')).toBeUndefined();
  });

  it.each([
    ['by the feature’s own key', optOut],
    ['by the key of all features', { [allFeatures]: 'false' }],
  ])('takes its replica from a namespace that opts out %s, and gives it back', async (_, said) => {
    await using world = await settled();
    await world.apply(namespaceOf('team-a', said));
    await world.settle();
    expect(await find(world, 'team-a')).toBeUndefined();
    expect(await textIn(world, 'team-b')).toBe(credentials('first'));
    await world.apply(namespaceOf('team-a'));
    await world.settle();
    expect(await textIn(world, 'team-a')).toBe(credentials('first'));
  });

  it('B27 adopts what somebody else has made under that name, and says so once', async () => {
    await using world = await settled({ objects: [pullSecret('team-a', 'theirs')] });
    expect(await textIn(world, 'team-a')).toBe(credentials('first'));
    expect(await reasons(world)).toEqual([['PullSecretAdopted', 'team-a']]);
  });

  it('leaves it where it is told to, also when the source is gone', async () => {
    await using world = await settled({
      objects: [pullSecret('team-a', 'theirs')],
      config: { podBootstrap: { pullSecret: { foreign: 'leave' } } },
    });
    await world.delete(`Secret ${home}/${secretName}`);
    await world.settle();
    expect(await textIn(world, 'team-a')).toBe(credentials('theirs'));
    expect(await world.find('Secret')).toHaveLength(1);
  });

  it('B27 reports one of another type, and leaves it', async () => {
    const opaque = pullSecret('team-a', 'theirs', { type: 'Opaque' });
    await using world = await settled({ objects: [opaque] });
    expect(await textIn(world, 'team-a')).toBe(credentials('theirs'));
    expect(await reasons(world)).toEqual([['PullSecretInTheWay', 'team-a']]);
    expect(await textIn(world, 'team-b')).toBe(credentials('first'));
  });

  it('makes a replica anew that somebody has made unchangeable', async () => {
    await using world = await settled();
    const replica = await find(world, 'team-a');
    if (replica === undefined) throw new Error('no replica');
    await world.apply({ ...replica, immutable: true });
    await world.apply(pullSecret(home, 'second'));
    await world.settle();
    expect(await textIn(world, 'team-a')).toBe(credentials('second'));
    expect(await find(world, 'team-a')).not.toHaveProperty('immutable');
  });

  it('keeps the replicas of the last good source under a bad one, and says so', async () => {
    await using world = await settled();
    await world.apply(pullSecret(home, 'second', { data: { '.dockerconfigjson': '' } }));
    await world.settle();
    expect(await textIn(world, 'team-a')).toBe(credentials('first'));
    expect((await reasons(world))[0]).toEqual(['PullSecretUnusable', home]);
  });

  it('B16 does nothing while the feature is not available, and all of it once it is', async () => {
    await using world = await settled({ document: { availableFeatures: [] } });
    expect(await world.find('Secret')).toHaveLength(1);
    expect(world.decisions().every((each) => each.kind === 'run' && each.outcome === 'done')).toBe(
      true,
    );
    await world.apply(documentMap());
    await world.settle();
    expect(await world.find('Secret')).toHaveLength(5);
  });

  it('lets no namespace wait for one whose writes fail', async () => {
    await using world = await settled();
    await world.fail({ verb: 'patch', kind: 'Secret', code: 500, times: 2 });
    const count = world.decisions().length;
    await world.apply(pullSecret(home, 'second'));
    await world.settle();
    const outcomes = world
      .decisions()
      .slice(count)
      .map((each) => each.kind === 'run' && each.outcome);
    expect(outcomes.filter((outcome) => outcome === 'threw')).toHaveLength(2);
    for (const { metadata } of await world.find('Namespace')) {
      expect(await textIn(world, metadata.name ?? '')).toBe(credentials('second'));
    }
  });
});
