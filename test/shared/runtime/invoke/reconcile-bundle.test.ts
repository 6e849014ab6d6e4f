import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { namespaces } from '#shared/domain/kind.ts';
import { conflict, done } from '#shared/domain/outcome.ts';
import { reconcileBundle } from '#shared/runtime/invoke/reconcile-bundle.ts';
import { mapChanged, reconcileBy } from '#test/support/running.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('a bundle runs its function after a conflict past what it remembers of the cluster', async () => {
  const cluster = await fakeCluster();
  onTestFinished(cluster.close);
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('DATABASE_URL', '');
  vi.stubEnv('GATEHOUSE_KUBECONFIG', cluster.kubeconfig);
  const seen: unknown[] = [];
  const definition = reconcileBy(
    async (_, ports) => {
      seen.push((await ports.namespaces.find('default'))?.labels['tier']);
      if (seen.length > 1) return done;
      // What was read stands in memory for a second.
      cluster.objects.patch(
        namespaces,
        { name: 'default' },
        { metadata: { labels: { tier: 'new' } } },
      );
      return conflict('somebody wrote first');
    },
    { uses: ['namespaces', 'cluster'], deadlineMs: 10_000 },
  );
  const access = [{ kind: namespaces, verbs: ['get'] as const }];
  const bundle = reconcileBundle({ ...definition, access }, []);
  const event = { id: 'uid-1/7/MODIFIED', type: 'object.changed.v1', data: mapChanged() };
  const { body } = await bundle.handle({ method: 'POST', headers: {} }, event);
  expect([JSON.parse(body), seen]).toEqual([done, [undefined, 'new']]);
});

it('a bundle runs its function by what is true since its last run, with nobody to tell it', async () => {
  const cluster = await fakeCluster();
  onTestFinished(cluster.close);
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('DATABASE_URL', '');
  vi.stubEnv('GATEHOUSE_KUBECONFIG', cluster.kubeconfig);
  const seen: unknown[] = [];
  const definition = reconcileBy(
    async (_, ports) => {
      seen.push((await ports.namespaces.find('default'))?.labels['tier']);
      return done;
    },
    { uses: ['namespaces'], deadlineMs: 10_000 },
  );
  const bundle = reconcileBundle(definition, []);
  for (const tier of ['old', 'new']) {
    cluster.objects.patch(namespaces, { name: 'default' }, { metadata: { labels: { tier } } });
    const event = { id: `uid-1/${tier}/MODIFIED`, type: 'object.changed.v1', data: mapChanged() };
    await bundle.handle({ method: 'POST', headers: {} }, event);
  }
  expect(seen).toEqual(['old', 'new']);
});
