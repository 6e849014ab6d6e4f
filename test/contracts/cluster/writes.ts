import { beforeAll, describe, expect, it } from 'vitest';
import { configMaps, pods } from '#shared/domain/kind.ts';
import type { WriteOptions } from '#shared/ports.ts';
import { configMap, made, mapIn, type Open, objectOf, type Place, pod, podIn } from './place.ts';

export function writeContract(open: Open): void {
  describe('creating, replacing and deleting', () => {
    let place: Place;

    beforeAll(async () => {
      place = await open();
    });

    it('creates an object and says what the server made of it', async () => {
      const object = await made(
        place,
        configMaps,
        configMap(place, 'created', { data: { a: '1' } }),
      );
      expect(object.metadata.uid).toBeDefined();
      expect(await place.cluster.find(mapIn(place, 'created'))).toEqual(object);
    });

    it('answers a second creation with a conflict', async () => {
      const object = configMap(place, 'twice');
      await made(place, configMaps, object);
      expect(await place.cluster.create(configMaps, object)).toMatchObject({ kind: 'conflict' });
    });

    it('gives a name to what asks for a generated one', async () => {
      const metadata = { generateName: 'made-', name: undefined };
      const object = await made(place, configMaps, configMap(place, '', { metadata }));
      expect(object.metadata.name).toMatch(/^made-.{5}$/);
    });

    it('creates nothing in a dry run', async () => {
      const dry = await place.cluster.create(configMaps, configMap(place, 'dry'), { dryRun: true });
      expect(dry.kind).toBe('written');
      expect(await place.cluster.find(mapIn(place, 'dry'))).toBeUndefined();
    });

    it('replaces an object of the version that was read', async () => {
      const object = await made(place, configMaps, configMap(place, 'full', { data: { a: '1' } }));
      const next = { ...object, data: { b: '2' } };
      const written = objectOf(await place.cluster.replace(mapIn(place, 'full'), next));
      expect(written['data']).toEqual({ b: '2' });
      expect(written.metadata.resourceVersion).not.toBe(object.metadata.resourceVersion);
    });

    it('answers a replacement of an older version with a conflict', async () => {
      const object = await made(place, configMaps, configMap(place, 'raced', { data: { a: '1' } }));
      const target = mapIn(place, 'raced');
      await place.cluster.replace(target, { ...object, data: { a: 'first' } });
      const second = await place.cluster.replace(target, { ...object, data: { a: 'second' } });
      expect(second).toMatchObject({ kind: 'conflict' });
      expect(await place.cluster.find(target)).toMatchObject({ data: { a: 'first' } });
    });

    it('refuses to replace without a version', async () => {
      await made(place, configMaps, configMap(place, 'blind'));
      const blind = place.cluster.replace(mapIn(place, 'blind'), configMap(place, 'blind'));
      await expect(blind).rejects.toThrow('needs a resourceVersion');
    });

    it('finds nothing to replace where nothing is', async () => {
      const object = configMap(place, 'gone', { metadata: { resourceVersion: '1' } });
      const write = await place.cluster.replace(mapIn(place, 'gone'), object);
      expect(write.kind).toBe('not-found');
    });

    it('keeps the version of an object that a write leaves as it was', async () => {
      const object = await made(place, configMaps, configMap(place, 'same', { data: { a: '1' } }));
      expect(objectOf(await place.cluster.replace(mapIn(place, 'same'), object))).toEqual(object);
    });

    it('writes a status through its subresource, and nothing else of the object', async () => {
      const object = await made(place, pods, pod(place, 'stated'));
      const status = { phase: 'Running', message: 'up' };
      const next = { ...object, metadata: { ...object.metadata }, status };
      await place.cluster.replace(podIn(place, 'stated', 'status'), next);
      expect(await place.cluster.find(podIn(place, 'stated'))).toMatchObject({
        spec: { containers: [{ name: 'web' }, { name: 'log' }] },
        status,
      });
    });

    it('leaves a status alone that is written without its subresource', async () => {
      await made(place, pods, pod(place, 'plain'));
      const body = { metadata: { labels: { seen: 'yes' } }, status: { message: 'made up' } };
      await place.cluster.patch(podIn(place, 'plain'), { type: 'merge', body });
      const found = await place.cluster.find(podIn(place, 'plain'));
      expect(found?.metadata.labels).toMatchObject({ seen: 'yes' });
      expect(found?.['status'] ?? {}).not.toHaveProperty('message');
    });

    it('deletes', async () => {
      await made(place, configMaps, configMap(place, 'old'));
      expect((await place.cluster.delete(mapIn(place, 'old'))).kind).toBe('written');
      expect(await place.cluster.find(mapIn(place, 'old'))).toBeUndefined();
    });

    it('finds nothing to delete the second time', async () => {
      await made(place, configMaps, configMap(place, 'once'));
      await place.cluster.delete(mapIn(place, 'once'));
      expect((await place.cluster.delete(mapIn(place, 'once'))).kind).toBe('not-found');
    });

    it.each<[string, WriteOptions, string]>([
      ['another uid', { uid: '7e57ab1e-0000-4000-8000-000000000000' }, 'conflict'],
      ['another version', { resourceVersion: '1' }, 'conflict'],
      ['a dry run', { dryRun: true }, 'written'],
    ])('keeps an object whose deletion names %s', async (what, options, expected) => {
      const name = `kept-${what.replaceAll(' ', '-')}`;
      await made(place, configMaps, configMap(place, name));
      expect((await place.cluster.delete(mapIn(place, name), options)).kind).toBe(expected);
      expect(await place.cluster.find(mapIn(place, name))).toBeDefined();
    });

    it('deletes by uid and version', async () => {
      const { metadata } = await made(place, configMaps, configMap(place, 'known'));
      const { uid, resourceVersion } = metadata;
      const write = await place.cluster.delete(mapIn(place, 'known'), { uid, resourceVersion });
      expect(write.kind).toBe('written');
      expect(await place.cluster.find(mapIn(place, 'known'))).toBeUndefined();
    });

    it('deletes an object with a finalizer when its last one is taken off', async () => {
      const metadata = { finalizers: ['gatehouse.io/contract'] };
      await made(place, configMaps, configMap(place, 'held', { metadata }));
      const target = mapIn(place, 'held');

      await place.cluster.delete(target);
      expect((await place.cluster.find(target))?.metadata).toHaveProperty('deletionTimestamp');

      await place.cluster.patch(target, {
        type: 'merge',
        body: { metadata: { finalizers: null } },
      });
      expect(await place.cluster.find(target)).toBeUndefined();
    });

    it('gives an object that is made anew another uid', async () => {
      const before = await made(place, configMaps, configMap(place, 'again'));
      await place.cluster.delete(mapIn(place, 'again'));
      const after = await made(place, configMaps, configMap(place, 'again'));
      expect(after.metadata.uid).not.toBe(before.metadata.uid);
    });
  });
}
