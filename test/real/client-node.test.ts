import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmulatedCluster, emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { type Kube, startKube } from './kube/start.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-node-'));
let emulated: EmulatedCluster;
let real: Kube;

beforeAll(async () => {
  [emulated, real] = await Promise.all([emulatedCluster(), startKube()]);
  writeFileSync(join(folder, 'emulated'), emulated.kubeconfig);
}, 120_000);

afterAll(async () => {
  await Promise.all([emulated.close(), real.stop()]);
  rmSync(folder, { recursive: true });
});

const named = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: { of: 'client-node' } },
  data,
});

/** As its users write it, and as whatever is built on it does. */
describe.each([
  ['the emulated server', () => join(folder, 'emulated')],
  ['the real server', () => real.kubeconfig],
])('@kubernetes/client-node, at %s', (_, kubeconfig) => {
  function login() {
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig());
    return config;
  }

  it('makes, reads, changes in each way, and deletes an object', async () => {
    const api = KubernetesObjectApi.makeApiClient(login());
    const made: V1ConfigMap = await api.create(named('all', { a: '1' }));
    expect(made.metadata?.uid).toMatch(/^[\da-f-]{36}$/);
    const header = { apiVersion: 'v1', kind: 'ConfigMap' };
    const place = { ...header, metadata: { name: 'all', namespace: 'default' } };
    const patched = (data: object, strategy: PatchStrategy, force?: boolean) =>
      api.patch({ ...place, data }, undefined, undefined, 'tests', force, strategy);
    await patched({ b: '2' }, PatchStrategy.MergePatch);
    await patched({ c: '3' }, PatchStrategy.StrategicMergePatch);
    await patched({ d: '4' }, PatchStrategy.ServerSideApply, true);
    const read: V1ConfigMap = await api.read(place);
    expect(read.data).toEqual({ a: '1', b: '2', c: '3', d: '4' });

    await api.replace({ ...read, data: { e: '5' } });
    const stale = await api.replace({ ...read, data: {} }).catch((cause: unknown) => cause);
    expect(stale).toMatchObject({ code: 409 });
    await api.delete(place);
    expect(await api.read(place).catch((cause: unknown) => cause)).toMatchObject({ code: 404 });
  });

  it('lists by label and in pages, and is told what it may not', async () => {
    const core = login().makeApiClient(CoreV1Api);
    const namespace = 'default';
    for (const name of ['one', 'two', 'three']) {
      await core.createNamespacedConfigMap({ namespace, body: named(name, {}) });
    }
    const asked = { namespace, labelSelector: 'of=client-node', limit: 2 };
    const page = await core.listNamespacedConfigMap(asked);
    const token = page.metadata?._continue;
    const next = await core.listNamespacedConfigMap({ ...asked, _continue: token ?? '' });
    const names = [...page.items, ...next.items].map(({ metadata }) => metadata?.name);
    expect([page.items.length, names.toSorted()]).toEqual([2, ['one', 'three', 'two']]);
    const refused = core.createNamespacedConfigMap({ namespace, body: named('No_Name', {}) });
    await expect(refused).rejects.toMatchObject({ code: 422 });
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'of=client-node' });
  });

  it('hears by its informer what is added, changed and deleted', async () => {
    const config = login();
    const core = config.makeApiClient(CoreV1Api);
    const namespace = 'default';
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const labelSelector = 'of=client-node';
    const informer = makeInformer(
      config,
      path,
      () => core.listNamespacedConfigMap({ namespace, labelSelector }),
      labelSelector,
    );
    const heard: string[] = [];
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, ({ metadata, data }) => {
        heard.push(`${verb} ${metadata?.name} ${data?.['a']}`);
      });
    }
    await core.createNamespacedConfigMap({ namespace, body: named('before', { a: '0' }) });
    await informer.start();
    const body = named('during', { a: '1' });
    await core.createNamespacedConfigMap({ namespace, body });
    await core.replaceNamespacedConfigMap({
      namespace,
      name: 'during',
      body: named('during', { a: '2' }),
    });
    await core.deleteNamespacedConfigMap({ namespace, name: 'during' });
    await expect
      .poll(() => heard, { timeout: 10_000 })
      .toEqual(['add before 0', 'add during 1', 'update during 2', 'delete during 2']);
    await informer.stop();
  });
});
