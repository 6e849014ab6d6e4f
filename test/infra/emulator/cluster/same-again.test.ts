import { afterAll, expect, it } from 'vitest';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { configMaps } from '#shared/domain/kind.ts';

const { objects, close } = await fakeCluster();
afterAll(close);

type Data = Readonly<Record<string, string>>;

const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'test', name: 'a' } };
const first = { one: 'a,b', two: 'c,d', three: '5' };
const { version } = objects.create(configMaps, { ...named, data: first });
const update = (data: Data) => objects.update(configMaps, { ...named, data });

it('says nothing new with its keys in another order', () => {
  expect(update({ three: '5', two: 'c,d', one: 'a,b' }).version).toBe(version);
});

it.each([
  ['a character', { ...first, three: '6' }],
  ['what stands around a comma', { ...first, one: 'b,a' }],
  ['two values that change places', { ...first, one: 'c,d', two: 'a,b' }],
])('is told with a version of its own after %s', (_, data) => {
  const before = objects.find(configMaps, { namespace: 'test', name: 'a' });
  const stored = update(data);
  expect(stored.version).toBeGreaterThan(Number(before?.metadata.resourceVersion));
  const found = objects.find(configMaps, { namespace: 'test', name: 'a' });
  expect(found).toMatchObject({ data, metadata: { resourceVersion: String(stored.version) } });
});

it('is cut after its metadata under a version of any length', () => {
  for (let turn = 0; turn < 2_000; turn += 1) {
    const { body, metadataEnd } = update({ ...first, three: String(turn) });
    expect(body.slice(metadataEnd)).toMatch(/^,"data":\{/);
  }
});
