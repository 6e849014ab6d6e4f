import { describe, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import { forever, mapsIn, type Open, writer } from './place.ts';

export function lookContract(open: Open): void {
  describe('a look at one object', () => {
    it('finds it as it is now', async () => {
      const place = await open();
      await writer(place).create('a', { data: { x: '1' } });
      await writer(place).patch('a', { data: { x: '2' } });
      const at = { namespace: place.namespace, name: 'a' };
      expect(await place.stream.find(mapsIn(place), at, forever)).toMatchObject({
        kind: 'found',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '2' } },
      });
    });

    it('finds only metadata where only that is watched', async () => {
      const place = await open();
      await writer(place).create('a', { data: { x: '1' } });
      const at = { namespace: place.namespace, name: 'a' };
      const found = await place.stream.find(mapsIn(place, { metadataOnly: true }), at, forever);
      const object = found.kind === 'found' ? found.object : undefined;
      expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      expect(Object.keys(object ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    });

    it('tells an object that is gone from a kind that is', async () => {
      const place = await open();
      const at = { namespace: place.namespace, name: 'nobody' };
      const unknown = { kind: { ...configMaps, group: 'no.such' } };
      const old = { kind: { ...configMaps, group: 'apps', version: 'v9' } };
      expect(await place.stream.find(mapsIn(place), at, forever)).toEqual({ kind: 'none' });
      expect(await place.stream.find(unknown, at, forever)).toMatchObject({ kind: 'absent' });
      expect(await place.stream.find(old, at, forever)).toMatchObject({ kind: 'absent' });
    });

    it('tells no stranger', async () => {
      const place = await open();
      const at = { namespace: place.namespace, name: 'a' };
      const found = await place.stranger.find(mapsIn(place), at, forever);
      expect(found).toMatchObject({ kind: 'forbidden' });
    });
  });

  describe('the identity of a cluster', () => {
    it('is the uid of kube-system', async () => {
      const { stream, ask } = await open();
      const path = '/api/v1/namespaces/kube-system';
      const { body } = await ask({ what: 'get', method: 'GET', path });
      expect(body).toMatchObject({ metadata: { uid: await stream.identity(forever) } });
    });

    it('is nothing that a stranger learns', async () => {
      const { stranger } = await open();
      await expect(stranger.identity(forever)).rejects.toThrow(/401/);
    });
  });
}
