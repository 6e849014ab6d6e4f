import { beforeAll, describe, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import type { WriteOptions } from '#shared/ports.ts';
import { configMap, made, mapIn, type Open, objectOf, type Place } from './place.ts';

export function applyContract(open: Open): void {
  describe('server-side apply', () => {
    let place: Place;

    beforeAll(async () => {
      place = await open();
    });

    const apply = (
      name: string,
      data: Readonly<Record<string, string>>,
      { by = 'one', ...options }: WriteOptions & { by?: string; force?: boolean } = {},
    ) =>
      place.cluster.apply(mapIn(place, name), configMap(place, name, { data }), {
        fieldManager: by,
        ...options,
      });
    const dataOf = async (name: string) =>
      (await place.cluster.find(mapIn(place, name)))?.['data'] ?? {};

    it('makes what is not there', async () => {
      expect(objectOf(await apply('new', { a: '1' }))['data']).toEqual({ a: '1' });
      expect(await dataOf('new')).toEqual({ a: '1' });
    });

    it('changes nothing the second time', async () => {
      const first = objectOf(await apply('still', { a: '1' }));
      const second = objectOf(await apply('still', { a: '1' }));
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    it('takes back what its manager no longer states', async () => {
      await apply('less', { a: '1', b: '2' });
      await apply('less', { b: '2' });
      expect(await dataOf('less')).toEqual({ b: '2' });
    });

    it('leaves alone what another manager states', async () => {
      await apply('shared', { a: '1' }, { by: 'one' });
      await apply('shared', { b: '2' }, { by: 'two' });
      await apply('shared', { a: '3' }, { by: 'one' });
      expect(await dataOf('shared')).toEqual({ a: '3', b: '2' });
    });

    it('answers with a conflict where another manager states otherwise', async () => {
      await apply('owned', { a: '1' }, { by: 'one' });
      expect(await apply('owned', { a: '2' }, { by: 'two' })).toMatchObject({ kind: 'conflict' });
      expect(await dataOf('owned')).toEqual({ a: '1' });
    });

    it('lets two managers state the same', async () => {
      await apply('agreed', { a: '1' }, { by: 'one' });
      expect((await apply('agreed', { a: '1' }, { by: 'two' })).kind).toBe('written');
      await apply('agreed', {}, { by: 'one' });
      expect(await dataOf('agreed')).toEqual({ a: '1' });
    });

    it('takes a field over by force, and the other no longer owns it', async () => {
      await apply('taken', { a: '1' }, { by: 'one' });
      await apply('taken', { a: '2' }, { by: 'two', force: true });
      await apply('taken', {}, { by: 'one' });
      expect(await dataOf('taken')).toEqual({ a: '2' });
      await apply('taken', {}, { by: 'two' });
      expect(await dataOf('taken')).toEqual({});
    });

    it('takes back what it took over, for the other stated something else', async () => {
      await apply('returned', { a: '1' }, { by: 'one' });
      await apply('returned', { a: '2' }, { by: 'two', force: true });
      await apply('returned', {}, { by: 'two' });
      expect(await dataOf('returned')).toEqual({});
    });

    it('meets a field that was written without an apply as a conflict', async () => {
      await made(place, configMaps, configMap(place, 'edited', { data: { a: '1' } }));
      expect((await apply('edited', { a: '2' })).kind).toBe('conflict');
      expect((await apply('edited', { b: '2' })).kind).toBe('written');
      expect(await dataOf('edited')).toEqual({ a: '1', b: '2' });
    });

    it('loses a field to whoever patches it', async () => {
      await apply('lost', { a: '1' });
      const body = { data: { a: '2' } };
      await place.cluster.patch(mapIn(place, 'lost'), { type: 'merge', body });
      await apply('lost', {});
      expect(await dataOf('lost')).toEqual({ a: '2' });
    });

    it('writes nothing in a dry run', async () => {
      await apply('tried', { a: '1' });
      const dry = await apply('tried', { a: '2' }, { dryRun: true });
      expect(objectOf(dry)['data']).toEqual({ a: '2' });
      expect(await dataOf('tried')).toEqual({ a: '1' });
    });

    it('is held to the uid and the version that it names', async () => {
      const { uid, resourceVersion } = objectOf(await apply('exact', { a: '1' })).metadata;
      const otherUid = '7e57ab1e-0000-4000-8000-000000000000';
      expect((await apply('exact', { a: '2' }, { uid: otherUid })).kind).toBe('conflict');
      expect((await apply('exact', { a: '2' }, { resourceVersion: '1' })).kind).toBe('conflict');
      expect((await apply('exact', { a: '2' }, { uid, resourceVersion })).kind).toBe('written');
    });

    it('makes nothing for a uid that is gone', async () => {
      const otherUid = '7e57ab1e-0000-4000-8000-000000000000';
      expect((await apply('ghost', { a: '1' }, { uid: otherUid })).kind).toBe('conflict');
      expect(await place.cluster.find(mapIn(place, 'ghost'))).toBeUndefined();
    });
  });
}
