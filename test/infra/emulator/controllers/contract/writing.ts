import { expect, it } from 'vitest';
import { type Api, openApi } from '#infra/emulator/controllers/frame/api.ts';
import {
  deployments,
  endpointSlices,
  endpoints,
  type KindOf,
  services,
} from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import { asker } from '#shared/adapters/cluster/ask.ts';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { configMaps, namespaces } from '#shared/domain/kind.ts';
import { found, type Kit } from '../kit.ts';
import { owned } from '../stated.ts';

/** Every write of a controller is about the object that it has seen, as it has seen it. */
export function writingCases(
  { fresh, make, merge, seen, gone, all, cluster }: Kit,
  login: Login,
): void {
  it('do not write over what somebody else has written', async () => {
    const [namespace, { api, close }] = [await fresh(), await apiFor(login)];
    const { metadata } = await make(configMaps, namespace, 'a', {});
    await merge(configMaps, namespace, 'a', { data: { by: 'another' } });
    const target = { kind: configMaps, namespace, name: 'a' };
    const written = await api.patch(target, { data: { by: 'us' } }, metadata.resourceVersion ?? '');
    expect(written.kind).toBe('conflict');
    // A whole object, too.
    const known = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as unknown as Thing;
    expect((await api.update(target, known, { data: { by: 'us' } })).kind).toBe('conflict');
    expect((await cluster.find(target))?.['data']).toEqual({ by: 'another' });
    close();
  });

  it('leave to an object what kubectl has applied last', async () => {
    const namespace = await fresh();
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': '{"a":"b"}' };
    const metadata = { annotations: applied };
    const labels = { app: 'web' };
    const containers = [{ name: 'main', image: 'nginx' }];
    const template = { metadata: { labels }, spec: { containers } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await make(deployments, namespace, 'web', { metadata, spec });
    await make(services, namespace, 'web', { spec: { ports: [{ port: 80 }] } });
    const subsets = [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 80 }] }];
    await make(endpoints, namespace, 'web', { metadata, subsets });
    const ready = await seen(deployments, namespace, 'web', ({ status }) => {
      return status?.availableReplicas === 1;
    });
    expect(ready.metadata.annotations).toMatchObject(applied);
    const slices = () => all(endpointSlices, namespace);
    const [slice] = await found(async () => ((await slices()).length > 0 ? slices() : undefined));
    expect(slice?.metadata.annotations ?? {}).toEqual({});
  });

  it('do not delete another object of the same name', async () => {
    const [namespace, { api, close }] = [await fresh(), await apiFor(login)];
    const { metadata } = await make(configMaps, namespace, 'a', {});
    const target = { kind: configMaps, namespace, name: 'a' };
    expect((await api.remove(target, { uid: 'of-another' })).kind).toBe('conflict');
    const stale = { uid: metadata.uid ?? '', resourceVersion: '1' };
    expect((await api.remove(target, stale)).kind).toBe('conflict');
    expect(await cluster.find(target)).toBeDefined();
    expect((await api.remove(target, { uid: metadata.uid ?? '' })).kind).toBe('written');
    expect((await api.remove(target, { uid: metadata.uid ?? '' })).kind).toBe('not-found');
    close();
  });

  it('make nothing new in a namespace that ends', async () => {
    const [namespace, { api, close }] = [await fresh(), await apiFor(login)];
    const held = { finalizers: ['test.example/hold'] };
    await make(configMaps, namespace, 'held', { metadata: held });
    await cluster.delete({ kind: namespaces, name: namespace });
    const made = await api.create(configMaps, { metadata: { namespace, name: 'late' } });
    expect(made.kind).toBe('ending');
    await merge(configMaps, namespace, 'held', { metadata: { finalizers: null } });
    close();
  });

  it('delete an owner in the foreground only after what blocks it', async () => {
    const [namespace, { api, close }] = [await fresh(), await apiFor(login)];
    const owner = await make(configMaps, namespace, 'owner', {});
    const { ownerReferences } = owned(owner).metadata;
    const blocking = ownerReferences.map((each) => ({ ...each, blockOwnerDeletion: true }));
    const finalizers = ['test.example/hold'];
    await make(configMaps, namespace, 'held', {
      metadata: { ownerReferences: blocking, finalizers },
    });
    const target = { kind: configMaps, namespace, name: 'owner' };
    const uid = owner.metadata.uid ?? '';
    await api.remove(target, { uid, propagation: 'Foreground' });
    await seen(configMaps as KindOf<Thing>, namespace, 'held', ({ metadata }) => {
      return metadata.deletionTimestamp !== undefined;
    });
    expect(await cluster.find(target)).toBeDefined();
    await merge(configMaps, namespace, 'held', { metadata: { finalizers: null } });
    await gone(target);
    close();
  });

  it('let dependents go that are to be orphaned', async () => {
    const [namespace, { api, close }] = [await fresh(), await apiFor(login)];
    const owner = await make(configMaps, namespace, 'owner', {});
    await make(configMaps, namespace, 'left', owned(owner));
    const target = { kind: configMaps, namespace, name: 'owner' };
    await api.remove(target, { uid: owner.metadata.uid ?? '', propagation: 'Orphan' });
    await gone(target);
    const left = await cluster.find({ ...target, name: 'left' });
    expect(left?.metadata['ownerReferences'] ?? []).toEqual([]);
    close();
  });
}

async function apiFor(login: Login): Promise<{ readonly api: Api; close(): void }> {
  const session = await openSession(login);
  const limits = { deadlineMs: 30_000, maxAnswerBytes: 1_000_000, userAgent: 'test' };
  const api = openApi(asker(session, limits), { wrote: () => {}, removed: () => {} });
  return { api, close: () => session.close() };
}
