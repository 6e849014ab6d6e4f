import { describe, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import { isLater, type Line } from '#shared/domain/watched.ts';
import { follow, isChange, named, told } from './followed.ts';
import { forever, freshNamespace, mapsIn, type Open, pageOf, versionIn, writer } from './place.ts';

const quiet = { timeoutSeconds: 60, idleMs: 30_000, signal: forever };

export function watchContract(open: Open): void {
  describe('a watch', () => {
    it('tells what is written, in the order in which it was', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const { create, patch, remove } = writer(place);
      await create('a');
      await create('b');
      await patch('a', { data: { x: '1' } });
      await remove('b');
      await remove('a');
      expect(told(await watch.changes(5))).toEqual([
        'ADDED a',
        'ADDED b',
        'MODIFIED a',
        'DELETED b',
        'DELETED a',
      ]);
    });

    it('tells each object under the version of its write, and with its kind', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const made = await writer(place).create('a', { data: { x: '1' } });
      const patched = await writer(place).patch('a', { data: { x: '2' } });
      const [first, second] = await watch.changes(2);
      expect(first?.object).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { uid: made.metadata.uid, resourceVersion: versionIn(made) },
        data: { x: '1' },
      });
      expect(second?.object.metadata.resourceVersion).toBe(versionIn(patched));
    });

    it('goes on from the version of a list, without a gap and without a repetition', async () => {
      const place = await open();
      const { create } = writer(place);
      await create('a');
      const { resourceVersion } = await pageOf(place, mapsIn(place));
      await create('b');
      const watch = await follow(place, mapsIn(place), { resourceVersion });
      await create('c');
      expect(told(await watch.changes(2))).toEqual(['ADDED b', 'ADDED c']);
    });

    it('goes on from any version that another watch has told', async () => {
      const place = await open();
      const first = await follow(place, mapsIn(place));
      const { create } = writer(place);
      for (const name of ['a', 'b', 'c', 'd']) await create(name);
      const [, b] = await first.changes(4);
      const resourceVersion = b?.object.metadata.resourceVersion;
      const second = await follow(place, mapsIn(place), { resourceVersion });
      expect(told(await second.changes(2))).toEqual(['ADDED c', 'ADDED d']);
    });

    it('tells versions that rise', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const { create, patch } = writer(place);
      await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(name)));
      await Promise.all(['a', 'b', 'c', 'd'].map((name) => patch(name, { data: { x: '1' } })));
      const versions = (await watch.changes(8)).map(({ object }) => versionIn(object));
      const falling = versions.filter(
        (version, index) => index > 0 && !isLater(version, versions[index - 1] ?? ''),
      );
      expect(falling).toEqual([]);
    });

    it('tells a deletion with the last state, under a version of its own', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const { create, patch, remove } = writer(place);
      const made = await create('a', { labels: { app: 'web' }, data: { x: '1' } });
      const last = await patch('a', { data: { x: '2' } });
      await remove('a');
      const [, , deleted] = await watch.changes(3);
      expect(deleted).toMatchObject({
        type: 'DELETED',
        object: { metadata: { uid: made.metadata.uid, labels: { app: 'web' } }, data: { x: '2' } },
      });
      const version = deleted?.object.metadata.resourceVersion ?? '';
      expect(isLater(version, versionIn(last))).toBe(true);
    });

    it('goes on behind a deletion', async () => {
      const place = await open();
      const first = await follow(place, mapsIn(place));
      const { create, remove } = writer(place);
      await create('a');
      await remove('a');
      await create('b');
      const [, deleted] = await first.changes(3);
      const resourceVersion = deleted?.object.metadata.resourceVersion;
      const second = await follow(place, mapsIn(place), { resourceVersion });
      expect(told(await second.changes(1))).toEqual(['ADDED b']);
    });

    it('tells two objects of one name by their uids', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const { create, remove } = writer(place);
      const one = await create('a');
      await remove('a');
      const other = await create('a');
      const changes = await watch.changes(3);
      const { uid } = one.metadata;
      expect(changes.map(({ object }) => object.metadata.uid)).toEqual([
        uid,
        uid,
        other.metadata.uid,
      ]);
      expect(uid).not.toBe(other.metadata.uid);
    });

    it('tells nothing of a write that changes nothing', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const { create, patch } = writer(place);
      await create('a', { data: { x: '1' } });
      await patch('a', { data: { x: '1' } });
      await create('z');
      expect(told(await watch.until(named('z')))).toEqual(['ADDED a', 'ADDED z']);
    });

    it('tells a deletion that waits for a finalizer first as a change', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const { create, patch, remove } = writer(place);
      await create('a', { finalizers: ['example.dev/wait'] });
      await remove('a');
      await patch('a', { metadata: { finalizers: null } });
      const changes = await watch.changes(3);
      expect(told(changes)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
      expect(changes[1]?.object.metadata['deletionTimestamp']).toEqual(expect.any(String));
    });

    it('of one namespace is silent about the others', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const elsewhere = { ...place, namespace: await freshNamespace(place) };
      await writer(elsewhere).create('a');
      await writer(place).create('z');
      expect(told(await watch.until(named('z')))).toEqual(['ADDED z']);
    });

    it('of all namespaces tells each with its own', async () => {
      const place = await open();
      const elsewhere = { ...place, namespace: await freshNamespace(place) };
      const watch = await follow(place, { kind: configMaps });
      await writer(elsewhere).create('a');
      await writer(place).create('z');
      const lines = await watch.until(named('z'));
      const spaces = lines.filter(isChange).map(({ object }) => object.metadata.namespace);
      expect(spaces.filter((each) => each === elsewhere.namespace)).toHaveLength(1);
      expect(spaces.at(-1)).toBe(place.namespace);
    });

    it('of metadata tells no more, under the kind that is watched', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place, { metadataOnly: true }));
      await writer(place).create('a', { labels: { app: 'web' }, data: { secret: 'x' } });
      await writer(place).remove('a');
      for (const { object } of await watch.changes(2)) {
        expect(Object.keys(object).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
        expect(object).toMatchObject({ kind: 'ConfigMap', metadata: { labels: { app: 'web' } } });
      }
    });

    it('tells letters of every alphabet as they were written', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const text = 'Größe 漢字 🚪 "quoted"\n\\ and a line';
      await writer(place).create('a', { data: { text } });
      const [change] = await watch.changes(1);
      expect(change?.object).toMatchObject({ data: { text } });
    });

    it('tells an object of 900 KB whole', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const text = 'ü'.repeat(450_000);
      await writer(place).create('a', { data: { text } });
      const [change] = await watch.changes(1);
      expect(change?.object['data']).toEqual({ text });
    });

    it('tells a hundred writes at once, each of them once', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place));
      const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
      await Promise.all(names.map((name) => writer(place).create(name)));
      const changes = await watch.changes(100);
      expect(new Set(told(changes))).toEqual(new Set(names.map((name) => `ADDED ${name}`)));
    });

    it('tells two who watch the same', async () => {
      const place = await open();
      const [one, other] = [await follow(place, mapsIn(place)), await follow(place, mapsIn(place))];
      for (const name of ['a', 'b', 'c']) await writer(place).create(name);
      expect(await one.changes(3)).toEqual(await other.changes(3));
    });
  });

  describe('a watch that ends', () => {
    it('ends in good order when its time is over', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place), { timeoutSeconds: place.shortSeconds });
      await writer(place).create('a');
      const { lines, end } = await watch.rest();
      expect(told(lines)).toEqual(['ADDED a']);
      expect(end).toEqual({ kind: 'closed' });
    });

    it('says before its end how far it has come, by a bookmark that a later watch goes on from', async () => {
      const place = await open();
      const watch = await follow(place, mapsIn(place), { timeoutSeconds: 3 });
      const made = await writer(place).create('a');
      const lines = await watch.until(({ kind }) => kind === 'bookmark');
      const resourceVersion = bookmarked(lines);
      expect(told(lines)).toEqual(['ADDED a']);
      expect(isLater(versionIn(made), resourceVersion)).toBe(false);
      expect(lines.at(-1)).toMatchObject({ isInitialEnd: false });

      await writer(place).create('b');
      const next = await follow(place, mapsIn(place), { resourceVersion });
      expect(told(await next.changes(1))).toEqual(['ADDED b']);
    });

    it('is cut when we hang up', async () => {
      const place = await open();
      const hangUp = new AbortController();
      const watch = await follow(place, mapsIn(place), { signal: hangUp.signal });
      const rest = watch.rest();
      hangUp.abort();
      expect((await rest).end).toMatchObject({ kind: 'cut' });
    });
  });

  describe('a watch that cannot be', () => {
    it.each([
      ['of a kind that nobody serves', { ...configMaps, group: 'no.such' }],
      ['of a resource that its group lacks', { ...configMaps, resource: 'x' }],
      ['of a version that is not served', { ...configMaps, group: 'apps', version: 'v9' }],
    ])('%s is absent', async (_, kind) => {
      const { stream } = await open();
      const watch = await stream.watch({ kind }, { ...quiet, resourceVersion: '1' });
      expect(watch).toMatchObject({ kind: 'absent' });
    });

    it('of a stranger is forbidden', async () => {
      const place = await open();
      const watch = await place.stranger.watch(mapsIn(place), { ...quiet, resourceVersion: '1' });
      expect(watch).toMatchObject({ kind: 'forbidden' });
    });

    it('by a selector that is none is unsupported', async () => {
      const place = await open();
      const scope = mapsIn(place, { fields: 'data.x=1' });
      const watch = await place.stream.watch(scope, { ...quiet, resourceVersion: '1' });
      expect(watch).toMatchObject({ kind: 'unsupported' });
    });

    it('from the future is taken, and says nothing of what is written below', async () => {
      const place = await open();
      const future = await follow(place, mapsIn(place), {
        resourceVersion: '999999999',
        timeoutSeconds: place.shortSeconds,
      });
      await writer(place).create('a');
      expect(await future.rest()).toEqual({ lines: [], end: { kind: 'closed' } });
    });
  });
}

function bookmarked(lines: readonly Line[]): string {
  const bookmark = lines.find((line) => line.kind === 'bookmark');
  return bookmark?.resourceVersion ?? 'none';
}
