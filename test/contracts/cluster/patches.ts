import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configMaps, mutatingWebhooks, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { PatchBody, WriteOptions } from '#shared/ports.ts';
import { configMap, made, mapIn, type Open, objectOf, type Place, pod, podIn } from './place.ts';

export function patchContract(open: Open): void {
  describe('patching', () => {
    let place: Place;
    let stored: KubeObject;
    let count = 0;

    beforeAll(async () => {
      place = await open();
    });

    beforeEach(async () => {
      const metadata = { annotations: { 'a/b': 'old', keep: 'yes' } };
      const object = configMap(place, `patched-${++count}`, { metadata, data: { a: '1', b: '2' } });
      stored = await made(place, configMaps, object);
    });

    const target = () => mapIn(place, stored.metadata.name ?? '');
    const patch = (body: PatchBody, options?: WriteOptions) =>
      place.cluster.patch(target(), body, options);

    it('applies the operations of a JSON Patch, escapes included', async () => {
      const operations = [
        { op: 'replace', path: '/metadata/annotations/a~1b', value: 'new' },
        { op: 'remove', path: '/data/a' },
        { op: 'add', path: '/data/c', value: '3' },
      ] as const;
      expect(objectOf(await patch({ type: 'json', operations }))).toMatchObject({
        metadata: { annotations: { 'a/b': 'new', keep: 'yes' } },
        data: { b: '2', c: '3' },
      });
    });

    it('applies a JSON Patch whose test holds', async () => {
      const operations = [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'replace', path: '/data/a', value: '2' },
      ] as const;
      expect(objectOf(await patch({ type: 'json', operations }))['data']).toMatchObject({ a: '2' });
    });

    it.each<[string, PatchBody & { type: 'json' }]>([
      [
        'a test that does not hold',
        {
          type: 'json',
          operations: [
            { op: 'replace', path: '/data/b', value: '9' },
            { op: 'test', path: '/data/a', value: 'other' },
          ],
        },
      ],
      [
        'a test of what is not there',
        { type: 'json', operations: [{ op: 'test', path: '/data/z', value: 'other' }] },
      ],
      [
        'the removal of what is not there',
        { type: 'json', operations: [{ op: 'remove', path: '/data/z' }] },
      ],
    ])('answers %s with a conflict, and writes nothing', async (_, body) => {
      expect((await patch(body)).kind).toBe('conflict');
      expect(await place.cluster.find(target())).toEqual(stored);
    });

    it('lays a merge patch over the object; null removes', async () => {
      const body = { data: { a: null, b: '3' }, metadata: { annotations: { more: 'yes' } } };
      const { data, metadata: written } = objectOf(await patch({ type: 'merge', body }));
      expect(data).toEqual({ b: '3' });
      expect(written.annotations).toEqual({ 'a/b': 'old', keep: 'yes', more: 'yes' });
    });

    it('writes nothing in a dry run', async () => {
      const body = { data: { a: 'dry' } };
      const dry = await patch({ type: 'merge', body }, { dryRun: true });
      expect(objectOf(dry)['data']).toMatchObject({ a: 'dry' });
      expect(await place.cluster.find(target())).toEqual(stored);
    });

    const bodies: readonly PatchBody[] = [
      { type: 'json', operations: [{ op: 'add', path: '/data/c', value: '3' }] },
      { type: 'merge', body: { data: { c: '3' } } },
      { type: 'strategic', body: { data: { c: '3' } } },
    ];
    it.each(bodies)('holds a $type patch to uid and version', async (body) => {
      const { uid, resourceVersion } = stored.metadata;
      const otherUid = '7e57ab1e-0000-4000-8000-000000000000';
      expect((await patch(body, { uid: otherUid })).kind).toBe('conflict');
      expect((await patch(body, { resourceVersion: '1' })).kind).toBe('conflict');
      expect((await patch(body, { uid, resourceVersion })).kind).toBe('written');
    });

    it.each(bodies)('finds nothing to give a $type patch to', async (body) => {
      const write = await place.cluster.patch(mapIn(place, 'nobody'), body);
      expect(write.kind).toBe('not-found');
    });

    it('merges a list of named items by name in a strategic patch', async () => {
      await made(place, pods, pod(place, 'merged'));
      const body = { spec: { containers: [{ name: 'log', image: 'registry.example/log:2' }] } };
      const write = await place.cluster.patch(podIn(place, 'merged'), { type: 'strategic', body });
      expect(imagesOf(objectOf(write))).toEqual([
        'registry.example/web:1',
        'registry.example/log:2',
      ]);
    });

    it('counts generations by what is asked of an object, not by its labels', async () => {
      const name = `contract-${place.namespace}`;
      const object = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name },
        webhooks: [webhook('one.gatehouse.io'), webhook('two.gatehouse.io')],
      };
      const webhooks = { kind: mutatingWebhooks, name };
      const first = await made(place, mutatingWebhooks, object);
      const labelled = await place.cluster.patch(webhooks, {
        type: 'merge',
        body: { metadata: { labels: { a: 'b' } } },
      });
      const bundled = await place.cluster.patch(webhooks, {
        type: 'json',
        operations: [
          { op: 'test', path: '/webhooks/1/name', value: 'two.gatehouse.io' },
          { op: 'add', path: '/webhooks/1/clientConfig/caBundle', value: '' },
          { op: 'replace', path: '/webhooks/1/timeoutSeconds', value: 7 },
        ],
      });
      await place.cluster.delete(webhooks);
      expect(first.metadata['generation']).toBe(1);
      expect(objectOf(labelled).metadata['generation']).toBe(1);
      expect(objectOf(bundled).metadata['generation']).toBe(2);
    });
  });
}

function imagesOf(object: KubeObject): readonly unknown[] {
  const spec = object['spec'] as { readonly containers: readonly { readonly image: string }[] };
  return spec.containers.map(({ image }) => image);
}

function webhook(name: string) {
  return {
    name,
    clientConfig: { url: 'https://127.0.0.1:1/never' },
    rules: [],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    timeoutSeconds: 5,
    admissionReviewVersions: ['v1'],
  };
}
