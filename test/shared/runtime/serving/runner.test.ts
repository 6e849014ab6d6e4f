import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { configMaps, namespaces } from '#shared/domain/kind.ts';
import { conflict, done } from '#shared/domain/outcome.ts';
import { mirrorWriter } from '#test/support/mirror-writer.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { defaultClustersQueue } from '#test/support/postgres-queue.ts';
import { reconcileBy } from '#test/support/running.ts';
import { serveInside } from '#test/support/serving.ts';
import { eventually, messageOf } from '#test/support/working.ts';

it('a worker runs a function after a conflict with what is true in the cluster itself', async () => {
  const { url } = await freshDatabase();
  const cluster = await fakeCluster();
  onTestFinished(cluster.close);
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  const metadata = { namespace: 'default', name: 'one' };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
  cluster.objects.create(configMaps, { ...map, data: { of: 'cluster' } });
  const mirrored = { ...map, metadata: { ...metadata, uid: 'uid-1' }, data: { of: 'mirror' } };
  await mirrorWriter(sql, 'default').put(configMaps, mirrored);

  const seen: unknown[] = [];
  const definition = reconcileBy(
    async (_, { mirror }) => {
      const { object } = await mirror.find(configMaps, metadata);
      seen.push(object?.['data']);
      return seen.length === 1 ? conflict('somebody wrote first') : done;
    },
    { uses: ['mirror', 'cluster'], deadlineMs: 10_000 },
  );
  const serving = await serveInside({
    functions: [{ ...definition, access: [{ kind: configMaps, verbs: ['get'] }] }],
    settings: { capabilities: ['samples'] },
    login: { kind: 'kubeconfig-text', text: cluster.kubeconfig },
    databaseUrl: url,
  });
  onTestFinished(() => serving.stop());
  const queue = await defaultClustersQueue(url);
  onTestFinished(() => queue.close());
  await queue.send([messageOf()]);
  await eventually(() => expect(seen).toEqual([{ of: 'mirror' }, { of: 'cluster' }]));
});

it('a worker runs a function by what the commit says that woke it, whoever was told of that one', async () => {
  const { url } = await freshDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  const writer = mirrorWriter(sql, 'default', () => false);
  const write = (tier: string) =>
    writer.put(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'a', uid: 'uid-1', labels: { tier } },
    });
  await write('first');

  const seen: unknown[] = [];
  const definition = reconcileBy(
    async (_, ports) => {
      seen.push((await ports.namespaces.find('a'))?.labels['tier']);
      return done;
    },
    { uses: ['namespaces'], deadlineMs: 10_000 },
  );
  const cluster = await fakeCluster();
  onTestFinished(cluster.close);
  const serving = await serveInside({
    functions: [definition],
    settings: { capabilities: ['samples'] },
    login: { kind: 'kubeconfig-text', text: cluster.kubeconfig },
    databaseUrl: url,
  });
  onTestFinished(() => serving.stop());
  const queue = await defaultClustersQueue(url);
  onTestFinished(() => queue.close());
  await eventually(async () => {
    await queue.send([messageOf()]);
    expect(seen.at(-1)).toBe('first');
  });
  for (const tier of ['second', 'third']) {
    await write(tier);
    const before = seen.length;
    await queue.send([messageOf()]);
    await eventually(() => expect(seen.length).toBeGreaterThan(before));
    expect(seen.at(-1)).toBe(tier);
  }
});
