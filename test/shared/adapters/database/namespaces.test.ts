import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { liveNamespaces, openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { liveNodes, openNodes } from '#shared/adapters/cluster/nodes.ts';
import { boundedReads } from '#shared/adapters/database/bounded.ts';
import { stalenessOn } from '#shared/adapters/database/followed.ts';
import { followedReads } from '#shared/adapters/database/followed-reads.ts';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { mirroredNamespaces, namespacesOn } from '#shared/adapters/database/namespaces.ts';
import { mirroredNodes, nodesOn } from '#shared/adapters/database/nodes.ts';
import { type Kind, namespaces, nodes } from '#shared/domain/kind.ts';
import type { Cluster, Mirror } from '#shared/ports.ts';
import { labelled } from '#test/contracts/cluster/labelled.ts';
import { namespacesContract } from '#test/contracts/namespaces.ts';
import { nodesContract } from '#test/contracts/nodes.ts';
import { until } from '#test/support/until.ts';
import { database, type MirrorStage, mirrorStage, namespaceOf, startMs } from './mirror-stage.ts';

beforeAll(async () => void (await database), startMs);

const stages: MirrorStage[] = [];
afterAll(async () => {
  await Promise.all(stages.map((stage) => stage.close()));
});

async function openStage(isEmpty = true, staleMs?: number): Promise<MirrorStage> {
  const stage = await mirrorStage({ isEmpty, ...(staleMs === undefined ? {} : { staleMs }) });
  stages.push(stage);
  return stage;
}

/** A cluster, and what it was asked for. */
function counting(inner: Cluster) {
  const asked: string[] = [];
  const cluster: Cluster = {
    ...inner,
    find: (target) => {
      asked.push(`find ${target.name}`);
      return inner.find(target);
    },
    list: (...given) => {
      asked.push('list');
      return inner.list(...given);
    },
  };
  return { cluster, asked };
}

/** What a forwarder does. */
async function mirrored(cluster: Cluster, stage: MirrorStage, kind: Kind, name: string) {
  const object = await cluster.find({ kind, name });
  if (object !== undefined) await stage.writer.put(kind, object);
  await stage.isFresh(kind);
}

namespacesContract('namespaces of the mirror', async () => {
  const [stage, cluster] = [await openStage(), clusterInMemory()];
  const live = openNamespaces(cluster);
  return {
    namespaces: namespacesOn({ mirror: stage.mirror, heard: stage.heard, live }),
    async put(name, labels) {
      await labelled(cluster, { kind: 'Namespace', name, labels });
      await mirrored(cluster, stage, namespaces, name);
    },
  };
});

nodesContract('nodes of the mirror', async () => {
  const [stage, cluster] = [await openStage(), clusterInMemory()];
  const { proxied: sql, heard } = stage;
  return {
    nodes: nodesOn({ sql, cluster: stage.cluster, heard, live: openNodes(cluster) }),
    async put(name, labels) {
      await labelled(cluster, { kind: 'Node', name, labels });
      await mirrored(cluster, stage, nodes, name);
    },
  };
});

/** As a function has them that nobody tells of changes: on Knative and Lambda. */
function unremembered(stage: MirrorStage, cluster: Cluster) {
  const sql = async () => stage.direct;
  const reads = followedReads(stalenessOn(sql, { cluster: stage.cluster, quietMs: 60_000 }));
  return {
    namespaces: mirroredNamespaces({ ...stage, reads, live: liveNamespaces(cluster) }),
    nodes: mirroredNodes({ sql, cluster: stage.cluster, reads, live: liveNodes(cluster) }),
  };
}

namespacesContract('namespaces of the mirror, unremembered', async () => {
  const [stage, cluster] = [await openStage(), clusterInMemory()];
  return {
    namespaces: unremembered(stage, cluster).namespaces,
    async put(name, labels) {
      await labelled(cluster, { kind: 'Namespace', name, labels });
      await mirrored(cluster, stage, namespaces, name);
    },
  };
});

nodesContract('nodes of the mirror, unremembered', async () => {
  const [stage, cluster] = [await openStage(), clusterInMemory()];
  return {
    nodes: unremembered(stage, cluster).nodes,
    async put(name, labels) {
      await labelled(cluster, { kind: 'Node', name, labels });
      await mirrored(cluster, stage, nodes, name);
    },
  };
});

const nodeOf = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name },
});

describe('what is not remembered of the mirror', () => {
  it('is as the last commit left it, though its notice is under way', async () => {
    const stage = await openStage(false, 60_000);
    const cluster = clusterInMemory();
    const told = unremembered(stage, cluster);
    await stage.writer.put(nodes, nodeOf('n-1'));
    await stage.isFresh(nodes);
    const remembering = nodesOn({
      ...{ sql: stage.direct, cluster: stage.cluster, heard: stage.heard },
      live: liveNodes(cluster),
      now: () => 0,
    });
    await Promise.all([stage.namespaces.find('a'), remembering.list({})]);
    stage.proxy.freeze();
    await stage.writer.put(namespaces, namespaceOf('a', { tier: 'changed' }));
    await stage.writer.put(nodes, nodeOf('n-2'));

    expect((await stage.namespaces.find('a'))?.labels).toEqual({ tier: 'mirrored' });
    expect((await told.namespaces.find('a'))?.labels).toEqual({ tier: 'changed' });
    expect(await remembering.list({})).toHaveLength(1);
    expect(await told.nodes.list({})).toHaveLength(2);
  });

  it.each([
    ['whose forwarder is gone', `lease_until = now()`],
    ['that was led before the clock was set back', `lease_until = now() + interval '1 hour'`],
    ['whose watch is not heard of', `updated_at = now() - interval '2 minutes'`],
    ['that was heard of before the clock was set back', `updated_at = now() + interval '1 hour'`],
    ['that is followed no more', `is_retired = true`],
    ['that is being listed', `position = 'listing'`],
  ])('comes from the cluster where it is of a kind %s', async (_, how) => {
    const stage = await openStage(false);
    const { cluster } = counting(clusterInMemory());
    await stage.writer.put(nodes, nodeOf('mirrored'));
    await labelled(cluster, { kind: 'Namespace', name: 'a', labels: { tier: 'live' } });
    const told = unremembered(stage, cluster);
    expect((await told.namespaces.find('a'))?.labels['tier']).toBe('mirrored');
    expect(await told.nodes.list({})).toMatchObject([{ name: 'mirrored' }]);

    await stage.direct.unsafe(`update watches set ${how} where cluster = '${stage.cluster}'`);
    expect((await told.namespaces.find('a'))?.labels['tier']).toBe('live');
    expect((await told.namespaces.list({ matchLabels: { tier: 'live' } })).length).toBe(1);
    expect(await told.nodes.list({})).toEqual([]);
  });

  it('comes from the cluster while the database is away, and is not asked for there again at once', async () => {
    const stage = await openStage(false);
    const { cluster, asked } = counting(clusterInMemory());
    let questions = 0;
    const away = async () => {
      questions += 1;
      throw new Error('no database');
    };
    const reads = followedReads(stalenessOn(away, { cluster: stage.cluster, quietMs: 60_000 }));
    const told = mirroredNamespaces({ ...stage, reads, live: liveNamespaces(cluster) });
    expect(await told.find('nobody')).toBeUndefined();
    expect(await told.find('nobody')).toBeUndefined();
    expect([asked, questions]).toEqual([['find nobody', 'find nobody'], 1]);
  });
});

describe('namespaces of the mirror and the cluster', () => {
  it('come from the cluster where the mirror has them not', async () => {
    const stage = await openStage(false);
    stage.live.put({ name: 'new', labels: { tier: 'live' } });
    expect(await stage.namespaces.find('new')).toMatchObject({ labels: { tier: 'live' } });
  });

  it('are asked for with one live GET a miss, and with none where the mirror has them', async () => {
    const { mirror, heard } = await openStage(false);
    const { cluster, asked } = counting(clusterInMemory());
    await labelled(cluster, { kind: 'Namespace', name: 'new', labels: { tier: 'live' } });
    const adapter = namespacesOn({ mirror, heard, live: openNamespaces(cluster) });
    asked.length = 0;

    const found = await Promise.all([1, 2, 3].map(() => adapter.find('new')));
    expect(found.map((each) => each?.labels['tier'])).toEqual(['live', 'live', 'live']);
    expect(asked).toEqual(['find new']);
    expect(await adapter.find('nobody')).toBeUndefined();
    expect(asked).toEqual(['find new', 'find nobody']);
    expect(await adapter.find('a')).toMatchObject({ labels: { tier: 'mirrored' } });
    expect(asked).toHaveLength(2);
  });

  it('come from the mirror as soon as it has them', async () => {
    const stage = await openStage(false);
    stage.live.put({ name: 'new', labels: { tier: 'live' } });
    await stage.namespaces.find('new');
    await stage.writer.put(namespaces, namespaceOf('new', { tier: 'mirrored' }));
    await until(async () => (await stage.namespaces.find('new'))?.labels['tier'] === 'mirrored');
  });

  it('are forgotten when they are deleted', async () => {
    const stage = await openStage(false);
    stage.live.remove('a');
    expect(await stage.namespaces.find('a')).toMatchObject({ name: 'a' });
    await stage.writer.remove(namespaces, 'uid-of-a');
    await until(async () => (await stage.namespaces.find('a')) === undefined);
  });

  it('are listed from the cluster until the mirror has listed', async () => {
    const stage = await openStage();
    const found = await stage.namespaces.list({ matchLabels: { tier: 'live' } });
    expect(found.map(({ name }) => name)).toEqual(['a']);
  });

  it('are listed from the mirror once that has listed', async () => {
    const stage = await openStage(false);
    const found = await stage.namespaces.list({ matchLabels: { tier: 'mirrored' } });
    expect(found.map(({ name }) => name)).toEqual(['a']);
  });

  it('are listed from the cluster while nobody can say how old the mirror is', async () => {
    const stage = await openStage(false);
    stage.proxy.cut();
    await stage.isStale();
    expect(await stage.namespaces.list({})).toMatchObject([{ labels: { tier: 'live' } }]);
  });

  it('are listed from the cluster where the mirror says no version', async () => {
    const { mirror, heard, live } = await openStage(false);
    const list: Mirror['list'] = async (...given) => ({
      ...(await mirror.list(...given)),
      resourceVersion: '',
    });
    const adapter = namespacesOn({ mirror: { ...mirror, list }, heard, live });
    expect(await adapter.list({})).toMatchObject([{ labels: { tier: 'live' } }]);
  });

  it('come soon although the database takes a question and never answers', async () => {
    const { heard, live, proxied, proxy, cluster } = await openStage(false);
    const mirror = mirrorOn(proxied, { cluster });
    const reads = boundedReads({ readMs: 300, restMs: 60_000 });
    const adapter = namespacesOn({ mirror, heard, live, reads });
    await mirror.list(namespaces);
    proxy.freeze();
    const from = performance.now();
    expect(await adapter.find('a')).toMatchObject({ labels: { tier: 'live' } });
    expect(performance.now() - from).toBeGreaterThanOrEqual(290);
    // Another connection would answer by now; for a while nobody tries.
    expect(await adapter.find('a')).toMatchObject({ labels: { tier: 'live' } });
    expect(await adapter.list({})).toMatchObject([{ labels: { tier: 'live' } }]);
  });
});

describe('nodes of the mirror and the cluster', () => {
  const live = { list: async () => [{ name: 'live', labels: {} }] };
  /** On a machine that does other things. */
  const reads = boundedReads({ readMs: startMs });

  it('come from the cluster until the mirror has listed', async () => {
    const { proxied: sql, heard, cluster } = await openStage();
    expect(await nodesOn({ sql, heard, cluster, live }).list({})).toEqual(await live.list());
  });

  it('are read again after half a second', async () => {
    const stage = await openStage();
    const { direct: sql, heard, cluster } = stage;
    let ms = 0;
    const adapter = nodesOn({ sql, heard, cluster, live, now: () => ms });
    const count = async () => (await adapter.list({})).length;
    const put = (name: string) => stage.writer.put(nodes, nodeOf(name));
    await put('n-1');
    await stage.isFresh(nodes);
    expect(await count()).toBe(1);
    await put('n-2');
    ms = 499;
    expect(await count()).toBe(1);
    ms = 500;
    expect(await count()).toBe(2);
  });

  it('are listed without those that are deleted', async () => {
    const { direct: sql, heard, cluster, writer, isFresh } = await openStage();
    for (const name of ['n-1', 'n-2']) await writer.put(nodes, nodeOf(name));
    await writer.remove(nodes, 'n-1');
    await isFresh(nodes);
    const found = await nodesOn({ sql, heard, cluster, live, reads }).list({});
    expect(found.map(({ name }) => name)).toEqual(['n-2']);
  });

  it('are remembered for 64 selectors, and read again for whoever asked before those', async () => {
    const { direct: sql, heard, cluster, writer, isFresh } = await openStage();
    await writer.put(nodes, nodeOf('n-1'));
    await isFresh(nodes);
    const adapter = nodesOn({ sql, heard, cluster, live, reads, now: () => 0 });
    const count = async (app: number) =>
      (await adapter.list({ matchExpressions: [{ key: `${app}`, operator: 'DoesNotExist' }] }))
        .length;
    for (let app = 0; app <= 64; app += 1) await count(app);
    await writer.put(nodes, nodeOf('n-2'));
    expect([await count(1), await count(0)]).toEqual([1, 2]);
  });

  it('come from the cluster while the database is away', async () => {
    const stage = await openStage();
    const { proxied: sql, heard, cluster } = stage;
    const adapter = nodesOn({ sql, heard, cluster, live });
    await stage.writer.put(nodes, nodeOf('n'));
    await stage.isFresh(nodes);
    expect(await adapter.list({})).toEqual([{ name: 'n', labels: {} }]);
    stage.proxy.cut();
    await stage.isStale(nodes);
    expect(await adapter.list({})).toEqual(await live.list());
  });
});
