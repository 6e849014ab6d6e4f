import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterInMemory } from '#infra/emulator/testing/cluster-in-memory.ts';
import { openNamespaces } from '#shared/adapters/cluster/namespaces.ts';
import { openNodes } from '#shared/adapters/cluster/nodes.ts';
import { boundedReads } from '#shared/adapters/database/bounded.ts';
import { mirrorOn } from '#shared/adapters/database/mirror.ts';
import { namespacesOn } from '#shared/adapters/database/namespaces.ts';
import { nodesOn } from '#shared/adapters/database/nodes.ts';
import { type Kind, namespaces, nodes } from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';
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

async function openStage(isEmpty = true): Promise<MirrorStage> {
  const stage = await mirrorStage({ isEmpty });
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

  it('come from the cluster until the mirror has listed', async () => {
    const { proxied: sql, heard, cluster } = await openStage();
    expect(await nodesOn({ sql, heard, cluster, live }).list({})).toEqual(await live.list());
  });

  it('come from the cluster while the database is away', async () => {
    const stage = await openStage();
    const { proxied: sql, heard, cluster } = stage;
    const adapter = nodesOn({ sql, heard, cluster, live });
    await stage.writer.put(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n', uid: 'n' },
    });
    await stage.isFresh(nodes);
    expect(await adapter.list({})).toEqual([{ name: 'n', labels: {} }]);
    stage.proxy.cut();
    await stage.isStale(nodes);
    expect(await adapter.list({})).toEqual(await live.list());
  });
});
