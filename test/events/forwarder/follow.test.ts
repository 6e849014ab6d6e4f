import { afterEach, describe, expect, it } from 'vitest';
import { mirrorInMemory } from '#infra/emulator/testing/mirror-in-memory.ts';
import type { Kind } from '#shared/domain/kind.ts';
import { pods, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import {
  type Forwarding,
  forwarding,
  hastily,
  subscribed,
  until,
} from '#test/support/forwarding.ts';

let open: Forwarding | undefined;

async function begin(): Promise<Forwarding> {
  open = await forwarding();
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

function named(name: string, labels: Readonly<Record<string, string>> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
  };
}

const at = (name: string) => ({ namespace: 'default', name });
const everyPod = [subscribed({ of: pods })];

/** `web`, or `web gone`, in the order of their messages. */
async function wokenFor({ messages }: Forwarding): Promise<readonly string[]> {
  return (await messages()).map(({ body }) => {
    const { name, deleted } = JSON.parse(body);
    return deleted === true ? `${name} gone` : name;
  });
}

function alive({ rows }: Forwarding): readonly string[] {
  return rows()
    .filter(({ isDeleted }) => !isDeleted)
    .map(({ name }) => name)
    .toSorted();
}

async function mirrored(world: Forwarding, ...names: readonly string[]): Promise<void> {
  await until(`the mirror holds ${names.join()}`, () => alive(world).join() === names.join());
}

async function watching(of: { kinds(): readonly string[] }, times = 1): Promise<void> {
  await until('it watches', () => of.kinds().filter((kind) => kind === 'watching').length >= times);
}

describe('the forwarder', () => {
  it('mirrors what is there and what comes, and wakes for each once', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a'));
    await watching(await world.start(everyPod));
    world.cluster.objects.create(pods, named('b'));
    await mirrored(world, 'a', 'b');

    expect(await wokenFor(world)).toEqual(['a', 'b']);
  });

  it('tells of a deletion with the last labels', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a', { app: 'web' }));
    await watching(await world.start(everyPod));
    world.cluster.objects.delete(pods, at('a'));
    await mirrored(world);

    expect(await wokenFor(world)).toEqual(['a', 'a gone']);
    expect(world.rows()).toMatchObject([
      { isDeleted: true, object: { metadata: { labels: { app: 'web' } } } },
    ]);
  });

  it('tells the end of the old one and the beginning of the new one under the same name', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a'));
    await watching(await world.start(everyPod));
    await world.messages();
    world.cluster.objects.delete(pods, at('a'));
    world.cluster.objects.create(pods, named('a'));
    await until('two uids', () => world.rows().length === 2);
    await mirrored(world, 'a');

    expect(await wokenFor(world)).toEqual(['a gone', 'a']);
  });

  it.each(['status', 'event', 'empty'] as const)(
    'finds what it missed when its version is too old, told by %s',
    async (shape) => {
      const world = await begin();
      for (const name of ['a', 'b']) world.cluster.objects.create(pods, named(name));
      await watching(await world.start(everyPod));
      await world.messages();
      // The watch that is open is cut first: what follows happens while nobody watches.
      world.cluster.past.restart();
      world.cluster.objects.delete(pods, at('a'));
      world.cluster.objects.create(pods, named('c'));
      world.cluster.past.compact('pods', shape);
      await mirrored(world, 'b', 'c');

      expect((await wokenFor(world)).toSorted()).toEqual(['a gone', 'c']);
    },
  );

  it('lists nothing when it reconnects', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a'));
    const one = await world.start(everyPod);
    await watching(one);
    const before = world.cluster.requests.of('list', 'pods');
    world.cluster.faults.cutWatches();
    await watching(one, 2);
    world.cluster.faults.dropWatches();
    await watching(one, 3);
    world.cluster.objects.create(pods, named('b'));
    await mirrored(world, 'a', 'b');

    expect(world.cluster.requests.of('list', 'pods')).toBe(before);
    expect(one.kinds().filter((kind) => kind === 'listing')).toHaveLength(1);
  });

  it('goes on from the stored cursor after a restart, and misses nothing between', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a'));
    const first = await world.start(everyPod);
    await watching(first);
    await first.stop();
    await world.messages();
    world.cluster.objects.delete(pods, at('a'));
    world.cluster.objects.create(pods, named('b'));
    const second = await world.start(everyPod);
    await mirrored(world, 'b');

    expect(await wokenFor(world)).toEqual(['a gone', 'b']);
    expect(second.kinds()).not.toContain('listing');
  });

  it('notices a server whose state went back, and compares everything', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a'));
    const snapshot = world.cluster.past.snapshot();
    const one = await world.start(everyPod);
    await watching(one);
    world.cluster.objects.create(pods, named('b'));
    await mirrored(world, 'a', 'b');
    await world.messages();
    world.cluster.past.restore(snapshot);
    await until('a new epoch', () => one.kinds().includes('new-epoch'));
    await mirrored(world, 'a');

    expect(await wokenFor(world)).toEqual(['b gone']);
  });

  it('notices another cluster behind the same address', async () => {
    const world = await begin();
    const one = await world.start(everyPod);
    await watching(one);
    world.cluster.past.becomeAnother('another-uid');
    await until('a new epoch', () => one.kinds().includes('new-epoch'));

    expect(world.shelf.clusters.get('default')).toEqual({ uid: 'another-uid', epoch: 2 });
  });

  it('takes lost rights for no deletion', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a'));
    const one = await world.start(everyPod);
    await watching(one);
    const off = world.cluster.faults.refuse({ resource: 'pods' }, { code: 403 });
    world.cluster.past.restart();
    await until('it waits', () => one.kinds().includes('waiting'));
    expect(alive(world)).toEqual(['a']);
    off();
    world.cluster.objects.create(pods, named('b'));
    await mirrored(world, 'a', 'b');
  });

  it.each([
    ['of the kind', 'pods', 'waiting'],
    ['which cluster it is', 'namespaces', 'failed'],
  ] as const)('waits for as long as the server asks it to, asked %s', async (_, resource, kind) => {
    const world = await begin();
    world.cluster.faults.refuse({ resource, times: 1 }, { code: 429, retryAfter: 1 });
    const one = await world.start(everyPod);
    await until('it waits', () => one.kinds().includes(kind));

    const waits = one.told.flatMap((each) => (each.kind === kind && 'ms' in each ? each.ms : []));
    expect(waits[0]).toBeGreaterThanOrEqual(1_000);
    expect(waits[0]).toBeLessThan(1_000 + hastily.firstBackoffMs);
  });

  it('is woken from a watch that fell silent without closing', async () => {
    const world = await begin();
    const one = await world.start(everyPod);
    await watching(one);
    world.cluster.faults.halfOpen('pods');
    world.cluster.objects.create(pods, named('a'));
    await mirrored(world, 'a');

    expect(one.told).toContainEqual(expect.objectContaining({ kind: 'watch-ended', how: 'idle' }));
  });

  it('reads an object by itself whose line is too long', async () => {
    const world = await begin();
    const one = await world.start(everyPod);
    await watching(one);
    world.cluster.objects.create(pods, { ...named('large'), data: 'x'.repeat(100_000) });
    await mirrored(world, 'large');

    expect(one.kinds()).toContain('refused-line');
    expect(one.kinds().filter((kind) => kind === 'listing')).toHaveLength(1);
  });

  it('lets the next one begin at once where it is stopped on purpose, however long its lease', async () => {
    const world = await begin();
    const pace = { leaseMs: 60_000 };
    const first = await world.start(everyPod, pace);
    await watching(first);
    await first.stop();
    const second = await world.start(everyPod, pace);
    await watching(second);
    expect(second.kinds()).not.toContain('standing-by');
  });

  it('lets a second one stand by, and take over when the first one dies', async () => {
    const world = await begin();
    const first = await world.start(everyPod);
    await watching(first);
    const second = await world.start(everyPod);
    await until('it stands by', () => second.kinds().includes('standing-by'));
    first.kill();
    world.cluster.objects.create(pods, named('a'));
    await mirrored(world, 'a');

    expect(second.kinds()).toContain('took-over');
    expect(await wokenFor(world)).toEqual(['a']);
  });
});

describe('a function', () => {
  it('is woken when an object stops to match its labels', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a', { app: 'web' }));
    const labels = { matchLabels: { app: 'web' } };
    await watching(await world.start([subscribed({ of: pods, labels })]));
    await world.messages();
    world.cluster.objects.patch(pods, at('a'), { metadata: { labels: { app: null } } });
    world.cluster.objects.create(pods, named('b'));
    await mirrored(world, 'a', 'b');

    expect(await wokenFor(world)).toEqual(['a']);
  });

  it('that waits for changes is woken when the server’s own selector begins to show an object', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a', { app: 'db' }));
    const labels = { matchLabels: { app: 'web' } };
    const changedWeb = { of: pods, labels, atServer: true, on: ['modified'] } as const;
    const one = await world.start([subscribed(changedWeb)]);
    await watching(one);
    world.cluster.objects.patch(pods, at('a'), { metadata: { labels: { app: 'web' } } });
    await mirrored(world, 'a');

    expect(await wokenFor(world)).toEqual(['a']);
    // The list had told of all that there was.
    expect(one.kinds()).not.toContain('woke-existing');
  });

  it('is told of no deletion when the server’s own selector loses sight of an object', async () => {
    const world = await begin();
    for (const name of ['a', 'b']) world.cluster.objects.create(pods, named(name, { app: 'web' }));
    const labels = { matchLabels: { app: 'web' } };
    await watching(await world.start([subscribed({ of: pods, labels, atServer: true })]));
    await world.messages();
    world.cluster.objects.patch(pods, at('a'), { metadata: { labels: { app: 'db' } } });
    world.cluster.objects.delete(pods, at('b'));
    await mirrored(world);

    expect(await wokenFor(world)).toEqual(['a', 'b gone']);
  });

  it('that is switched on is woken for all that exists, once', async () => {
    const world = await begin();
    for (const name of ['a', 'b']) world.cluster.objects.create(pods, named(name));
    const one = await world.start(everyPod);
    await watching(one);
    await world.messages();
    await one.follow([...everyPod, subscribed({ of: pods, on: ['deleted'] }, 'late')]);
    await until('it was woken', () => one.kinds().includes('woke-existing'));
    const deliveries = await world.messages();

    expect(deliveries.map((each) => each.function)).toEqual(['late', 'late']);
  });

  it('that was switched off and on again is woken for all that exists', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a'));
    const one = await world.start([...everyPod, subscribed({ of: pods }, 'other')]);
    await watching(one);
    await one.follow(everyPod);
    await watching(one, 2);
    await world.messages();
    await one.follow([...everyPod, subscribed({ of: pods }, 'other')]);
    await until('it was woken', () => one.kinds().includes('woke-existing'));

    expect((await world.messages()).map((each) => each.function)).toEqual(['other']);
  });

  it('that declares an index finds by it what was there before, and wakes nobody', async () => {
    const world = await begin();
    world.cluster.objects.create(pods, named('a', { team: 'blue' }));
    const one = await world.start(everyPod);
    await watching(one);
    await world.messages();
    const byTeam = { team: ({ metadata }: KubeObject) => [metadata.labels?.['team'] ?? ''] };
    await one.follow([subscribed({ of: pods, indexes: byTeam })]);
    await until('it is indexed', () => world.rows()[0]?.keys.join() === 'team=blue');

    expect(await world.messages()).toEqual([]);
  });

  it('refuses a list by an index that nobody declares, whether or not there is another one', async () => {
    const world = await begin();
    const mirror = mirrorInMemory({ shelf: world.shelf, cluster: 'default' });
    const versionBy = async (name: string) =>
      (await mirror.list(pods, { index: { name, key: 'blue' } })).resourceVersion;
    const one = await world.start(everyPod);
    await watching(one);
    await expect(versionBy('team')).rejects.toThrow('declares the index team (declared: none)');

    await one.follow([subscribed({ of: pods, indexes: { team: () => ['blue'] } })]);
    await watching(one, 2);
    expect(await versionBy('team')).not.toBe('');
    await expect(versionBy('teams')).rejects.toThrow('declares the index teams (declared: team)');
  });

  it('never sees what a Secret holds', async () => {
    const world = await begin();
    const metadata = { name: 'ca', namespace: 'default' };
    const held = { apiVersion: 'v1', kind: 'Secret', metadata, data: { key: 'aHVudGVyMg==' } };
    world.cluster.objects.create(secrets, held);
    await watching(await world.start([subscribed({ of: secrets, name: 'ca' })]));
    await mirrored(world, 'ca');

    expect(JSON.stringify(world.rows())).not.toContain('aHVudGVyMg');
  });
});

describe('a kind that nobody serves', () => {
  const widgets: Kind = {
    group: 'example.org',
    version: 'v1',
    kind: 'Widget',
    resource: 'widgets',
    namespaced: true,
  };
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  };
  const crds: Kind = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    resource: 'customresourcedefinitions',
    namespaced: false,
  };
  const widget = {
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'default' },
  };

  it('is waited for, followed, and ended with the deletions of its objects', async () => {
    const world = await begin();
    const one = await world.start([subscribed({ of: widgets })]);
    await until('it is absent', () => one.kinds().includes('absent'));
    world.cluster.objects.create(crds, crd);
    world.cluster.objects.create(widgets, widget);
    await mirrored(world, 'w');
    world.cluster.objects.delete(crds, { name: 'widgets.example.org' });
    await mirrored(world);

    expect(await wokenFor(world)).toEqual(['w', 'w gone']);
  });

  it('is no end of its objects while only its server is dead', async () => {
    const world = await begin();
    world.cluster.objects.create(crds, crd);
    world.cluster.objects.create(widgets, widget);
    const one = await world.start([subscribed({ of: widgets })]);
    await watching(one);
    world.cluster.faults.deadGroup('example.org');
    world.cluster.past.restart();
    await until('it waits', () =>
      one.kinds().some((kind) => kind === 'waiting' || kind === 'failed'),
    );

    expect(alive(world)).toEqual(['w']);
    expect(one.kinds()).not.toContain('absent');
  });
});
