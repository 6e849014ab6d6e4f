import { describe, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import { isLater, type Line } from '#shared/domain/watched.ts';
import { follow, told } from './followed.ts';
import { mapsIn, type Open, type Place, pathOf, versionIn, writer } from './place.ts';

const isEnd = (line: Line) => line.kind === 'bookmark' && line.isInitialEnd;

export function streamedContract(open: Open): void {
  describe('a streaming list', () => {
    it('tells all that is there, then that this was all, then what comes', async () => {
      const place = await open();
      const { create, remove } = writer(place);
      const made = [await create('a'), await create('b')];
      const watch = await follow(place, mapsIn(place), { isStreamed: true });
      const lines = await watch.until(isEnd);
      expect(told(lines).toSorted()).toEqual(['ADDED a', 'ADDED b']);
      const version = endOf(lines);
      expect(made.filter((object) => isLater(versionIn(object), version))).toEqual([]);

      await create('c');
      await remove('a');
      expect(told(await watch.changes(2))).toEqual(['ADDED c', 'DELETED a']);
    });

    it('can be gone on from at the version of its end', async () => {
      const place = await open();
      await writer(place).create('a');
      const streamed = await follow(place, mapsIn(place), { isStreamed: true });
      const resourceVersion = endOf(await streamed.until(isEnd));
      await writer(place).create('b');
      const watch = await follow(place, mapsIn(place), { resourceVersion });
      expect(told(await watch.changes(1))).toEqual(['ADDED b']);
    });

    it('of nothing ends at once', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place), { isStreamed: true });
      expect(await watch.until(isEnd)).toMatchObject([{ kind: 'bookmark', isInitialEnd: true }]);
    });

    it('tells of whom it selects', async () => {
      const place = await twoTiers(open);
      const watch = await follow(place, mapsIn(place, { labels: 'tier=back' }), {
        isStreamed: true,
      });
      expect(told(await watch.until(isEnd))).toEqual(['ADDED b']);
    });

    it('tells metadata alone where no more is asked for', async () => {
      const place = await twoTiers(open);
      const scope = mapsIn(place, { metadataOnly: true, fields: 'metadata.name=a' });
      const watch = await follow(place, scope, { isStreamed: true });
      const [change, end] = await watch.until(isEnd);
      expect(change).toMatchObject({ object: { kind: 'ConfigMap', metadata: { name: 'a' } } });
      expect(change).not.toHaveProperty('object.data');
      expect(end).toMatchObject({ kind: 'bookmark', isInitialEnd: true });
    });

    it('of a version that is not there yet ends with an error', async () => {
      const place = await open();
      await writer(place).create('a');
      const answer = await watched(place, {
        ...{ sendInitialEvents: 'true', resourceVersion: '999999999' },
        allowWatchBookmarks: 'true',
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        type: 'ERROR',
        object: { code: 504, reason: 'Timeout' },
      });
    });

    it('that is declined tells nothing of what is there, from any version on', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      await writer(place).create('a');
      // Then it is in what the server reads from.
      await watch.changes(1);
      const answer = await watched(place, {
        ...{ sendInitialEvents: 'false', resourceVersion: '0' },
        timeoutSeconds: `${place.shortSeconds}`,
      });
      expect(answer).toMatchObject({ status: 200, body: undefined });
    });

    it('is refused where it does not say how old it may be', async () => {
      const { ask, namespace } = await open();
      const answer = await ask({
        what: 'watch',
        method: 'GET',
        path: pathOf(configMaps, namespace),
        query: { watch: 'true', sendInitialEvents: 'true' },
      });
      expect(answer).toMatchObject({ status: 422, reasons: expect.arrayContaining(['Invalid']) });
    });
  });
}

/** Our stream does not ask so. */
function watched({ ask, namespace }: Place, query: Readonly<Record<string, string>>) {
  return ask({
    ...{ what: 'watch', method: 'GET', path: pathOf(configMaps, namespace) },
    query: { watch: 'true', resourceVersionMatch: 'NotOlderThan', ...query },
  });
}

async function twoTiers(open: Open): Promise<Place> {
  const place = await open();
  await writer(place).create('a', { labels: { tier: 'front' }, data: { x: '1' } });
  await writer(place).create('b', { labels: { tier: 'back' }, data: { x: '1' } });
  return place;
}

function endOf(lines: readonly Line[]): string {
  const end = lines.find(isEnd);
  return end?.kind === 'bookmark' ? end.resourceVersion : 'none';
}
