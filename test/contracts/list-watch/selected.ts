import { describe, expect, it } from 'vitest';
import { isLater } from '#shared/domain/watched.ts';
import { follow, named, told } from './followed.ts';
import { mapsIn, type Open, versionIn, writer } from './place.ts';

const relabelled = (tier: string | null) => ({ metadata: { labels: { tier } } });

export function selectedContract(open: Open): void {
  describe('a watch that selects by label', () => {
    it('tells who begins to match as added, and who stops as deleted', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place, { labels: 'tier=front' }));
      const { create, patch } = writer(place);
      await create('a', { labels: { tier: 'back' } });
      await patch('a', relabelled('front'));
      await patch('a', { data: { x: '1' } });
      await patch('a', relabelled('back'));
      await create('z', { labels: { tier: 'front' } });
      const lines = await watch.until(named('z'));
      expect(told(lines)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED z']);
    });

    it('tells who stops to match as it was while it did, under the version of the change', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place, { labels: 'tier=front' }));
      const { create, patch } = writer(place);
      await create('a', { labels: { tier: 'front' }, data: { x: '1' } });
      const left = await patch('a', { ...relabelled('back'), data: { x: '2' } });
      const [, deleted] = await watch.changes(2);
      expect(deleted).toMatchObject({
        type: 'DELETED',
        object: {
          metadata: { labels: { tier: 'front' }, resourceVersion: versionIn(left) },
          data: { x: '1' },
        },
      });
    });

    it('tells the deletion of who matches, under a later version', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place, { labels: 'tier' }));
      const made = await writer(place).create('a', { labels: { tier: 'front' } });
      await writer(place).remove('a');
      const [, deleted] = await watch.changes(2);
      const version = deleted?.object.metadata.resourceVersion ?? '';
      expect(isLater(version, versionIn(made))).toBe(true);
    });

    it('is silent about the deletion of who does not match any more', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place, { labels: 'tier=front' }));
      const { create, patch, remove } = writer(place);
      await create('a', { labels: { tier: 'front' } });
      await patch('a', relabelled(null));
      await remove('a');
      await create('z', { labels: { tier: 'front' } });
      const lines = await watch.until(named('z'));
      expect(told(lines)).toEqual(['ADDED a', 'DELETED a', 'ADDED z']);
    });

    it('resumes into the middle of such transitions', async () => {
      const place = await open();
      const { create, patch } = writer(place);
      const made = await create('a', { labels: { tier: 'front' } });
      await patch('a', relabelled('back'));
      await patch('a', relabelled('front'));
      const resourceVersion = versionIn(made);
      const scope = mapsIn(place, { labels: 'tier=front' });
      const watch = await follow(place, scope, { resourceVersion });
      expect(told(await watch.changes(2))).toEqual(['DELETED a', 'ADDED a']);
    });
  });

  describe('a watch that selects by name', () => {
    it('tells of that object alone', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place, { fields: 'metadata.name=b' }));
      const { create, patch, remove } = writer(place);
      for (const name of ['a', 'b', 'c']) await create(name);
      await patch('a', { data: { x: '1' } });
      await patch('b', { data: { x: '1' } });
      await remove('c');
      await remove('b');
      expect(told(await watch.changes(3))).toEqual(['ADDED b', 'MODIFIED b', 'DELETED b']);
    });

    it('tells its metadata alone where no more is asked for', async () => {
      const place = await open();
      const scope = mapsIn(place, { fields: 'metadata.name=b', metadataOnly: true });
      const watch = await follow(place, scope);
      await writer(place).create('a');
      await writer(place).create('b', { data: { x: '1' } });
      const [change] = await watch.changes(1);
      expect(change?.object.metadata.name).toBe('b');
      expect(change?.object['data']).toBeUndefined();
    });
  });
}
