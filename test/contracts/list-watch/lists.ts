import { beforeAll, describe, expect, it } from 'vitest';
import { configMaps } from '#shared/domain/kind.ts';
import { isLater, type Scope } from '#shared/domain/watched.ts';
import {
  forever,
  freshNamespace,
  mapsIn,
  namesOf,
  type Open,
  type Place,
  pageOf,
  scopeOfNamespace,
  versionIn,
  versionOf,
  writer,
} from './place.ts';

const letters = {
  a: { tier: 'front' },
  b: { tier: 'front' },
  c: { tier: 'back' },
  d: { tier: 'back' },
  e: { tier: 'back', old: 'yes' },
};

export function listContract(open: Open): void {
  describe('a list', () => {
    let place: Place;

    beforeAll(async () => {
      place = await open();
      for (const [name, labels] of Object.entries(letters)) {
        await writer(place).create(name, { labels, data: { letter: name } });
      }
    });

    it('has every object, by name, with what it holds', async () => {
      const { objects } = await pageOf(place, mapsIn(place));
      expect(namesOf(objects)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(objects[2]).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: place.namespace, labels: letters.c, uid: expect.any(String) },
        data: { letter: 'c' },
      });
    });

    it('has a version that is no older than those of its objects', async () => {
      const { objects, resourceVersion } = await pageOf(place, mapsIn(place));
      const later = objects.filter((object) => isLater(versionIn(object), resourceVersion));
      expect(namesOf(later)).toEqual([]);
      expect(resourceVersion).toMatch(/^\d+$/);
    });

    it('comes in pages of the size that is asked for, the last one without a continuation', async () => {
      const first = await pageOf(place, mapsIn(place), { limit: 2 });
      const next = { limit: 2, continue: first.continue };
      const second = await pageOf(place, mapsIn(place), next);
      const third = await pageOf(place, mapsIn(place), { limit: 2, continue: second.continue });
      const pages = [first, second, third];
      expect(pages.map(({ objects }) => namesOf(objects))).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      expect(third.continue).toBeUndefined();
      expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
    });

    it('ends with a page that is exactly full', async () => {
      const { objects, continue: next } = await pageOf(place, mapsIn(place), { limit: 5 });
      expect(objects).toHaveLength(5);
      expect(next).toBeUndefined();
    });

    it('can go on with pages of another size', async () => {
      const first = await pageOf(place, mapsIn(place), { limit: 1 });
      const rest = await pageOf(place, mapsIn(place), { limit: 4, continue: first.continue });
      expect(namesOf(rest.objects)).toEqual(['b', 'c', 'd', 'e']);
    });

    it('says how many bytes a page took', async () => {
      const [one, all] = [{ limit: 1 }, { limit: 5 }];
      const small = await pageOf(place, mapsIn(place), one);
      const large = await pageOf(place, mapsIn(place), all);
      expect(small.bytes).toBeGreaterThan(100);
      expect(large.bytes).toBeGreaterThan(small.bytes);
    });

    it('of nothing is a page without objects, and with a version', async () => {
      const empty = await freshNamespace(place);
      const page = await pageOf(place, { kind: configMaps, namespace: empty });
      expect(page).toMatchObject({ objects: [], continue: undefined });
      expect(page.resourceVersion).toMatch(/^\d+$/);
    });

    it.each<[string, Partial<Scope>, readonly string[]]>([
      ['an equal label', { labels: 'tier=front' }, ['a', 'b']],
      ['a label that differs', { labels: 'tier!=front' }, ['c', 'd', 'e']],
      ['one of several values', { labels: 'tier in (front,x)' }, ['a', 'b']],
      ['a label that is there', { labels: 'old' }, ['e']],
      ['a label that is not', { labels: '!old' }, ['a', 'b', 'c', 'd']],
      ['a name', { fields: 'metadata.name=c' }, ['c']],
      ['any name but one', { fields: 'metadata.name!=c' }, ['a', 'b', 'd', 'e']],
      ['label and name', { labels: 'tier=back', fields: 'metadata.name!=c' }, ['d', 'e']],
    ])('selects by %s', async (_, narrowed, expected) => {
      const { objects } = await pageOf(place, mapsIn(place, narrowed));
      expect(namesOf(objects)).toEqual(expected);
    });

    it('of all namespaces can be narrowed to one by a field', async () => {
      const fields = `metadata.namespace=${place.namespace}`;
      const { objects } = await pageOf(place, { kind: configMaps, fields });
      expect(namesOf(objects)).toEqual(['a', 'b', 'c', 'd', 'e']);
    });

    it('fills the pages of a selection', async () => {
      const scope = mapsIn(place, { labels: 'tier=back' });
      const first = await pageOf(place, scope, { limit: 2 });
      const second = await pageOf(place, scope, { limit: 2, continue: first.continue });
      expect([first, second].map(({ objects }) => namesOf(objects))).toEqual([['c', 'd'], ['e']]);
    });

    it('of metadata holds no more, and says of what kind its objects are', async () => {
      const { objects } = await pageOf(place, mapsIn(place, { metadataOnly: true }));
      expect(namesOf(objects)).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(Object.keys(objects[0] ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
      expect(objects[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    });

    it('of a kind without namespaces is had as well', async () => {
      const { objects } = await pageOf(place, scopeOfNamespace(place.namespace));
      expect(objects).toMatchObject([{ kind: 'Namespace', metadata: { name: place.namespace } }]);
    });

    it.each<[string, Scope, string]>([
      ['a kind that nobody serves', { kind: { ...configMaps, group: 'no.such' } }, 'absent'],
      ['a resource that its group lacks', { kind: { ...configMaps, resource: 'x' } }, 'absent'],
      [
        'a version that is not served',
        { kind: { ...configMaps, group: 'apps', version: 'v9', resource: 'deployments' } },
        'absent',
      ],
      [
        'a field that nobody selects by',
        { kind: configMaps, fields: 'data.letter=a' },
        'unsupported',
      ],
      ['a selector that is none', { kind: configMaps, labels: 'a=(' }, 'unsupported'],
    ])('is refused for %s', async (_, scope, kind) => {
      const listed = await place.stream.list(scope, { limit: 5, signal: forever });
      expect(listed.kind).toBe(kind);
    });

    it('is refused with a continuation that is none', async () => {
      const options = { limit: 1, continue: 'abc', signal: forever };
      expect(await place.stream.list(mapsIn(place), options)).toMatchObject({
        kind: 'unsupported',
      });
    });

    it('is refused to a stranger', async () => {
      const options = { limit: 1, signal: forever };
      const listed = await place.stranger.list(mapsIn(place), options);
      expect(listed).toMatchObject({
        kind: 'forbidden',
        why: expect.stringMatching(/Unauthorized/),
      });
    });

    it('waits for a version that is not there yet, and then says so', async () => {
      const path = `/api/v1/namespaces/${place.namespace}/configmaps`;
      const query = { resourceVersion: '999999999' };
      const answer = await place.ask({ what: 'list', method: 'GET', path, query });
      expect(answer.status).toBe(504);
      expect(answer.reasons).toContain('ResourceVersionTooLarge');
    });
  });

  describe('a list while others write', () => {
    it('stays that of its first page', async () => {
      const place = await open();
      const { create, patch, remove } = writer(place);
      for (const name of ['a', 'b', 'c', 'd']) await create(name, { data: { x: 'old' } });
      const first = await pageOf(place, mapsIn(place), { limit: 1 });
      await create('b2');
      await remove('c');
      await patch('d', { data: { x: 'new' } });

      const rest = await pageOf(place, mapsIn(place), { limit: 9, continue: first.continue });
      expect(namesOf(rest.objects)).toEqual(['b', 'c', 'd']);
      expect(rest.objects[2]).toMatchObject({ data: { x: 'old' } });
      expect(rest.resourceVersion).toBe(first.resourceVersion);
      const anew = await pageOf(place, mapsIn(place));
      expect(namesOf(anew.objects)).toEqual(['a', 'b', 'b2', 'd']);
    });

    it('has what was written before it was asked for', async () => {
      const place = await open();
      for (const name of ['a', 'b', 'c']) {
        const made = await writer(place).create(name);
        const { objects, resourceVersion } = await pageOf(place, mapsIn(place));
        expect(namesOf(objects)).toContain(name);
        expect(isLater(versionIn(made), resourceVersion)).toBe(false);
      }
    });
  });

  describe('the version of a collection', () => {
    it('moves with each write, and not between them', async () => {
      const place = await open();
      const scope = mapsIn(place);
      const before = await versionOf(place, scope);
      const made = await writer(place).create('a');
      const after = await versionOf(place, scope);
      expect(isLater(versionIn(made), before)).toBe(true);
      expect(isLater(versionIn(made), after)).toBe(false);
    });

    it('does not ask who is selected', async () => {
      const place = await open();
      const version = await versionOf(place, mapsIn(place, { labels: 'no=body' }));
      expect(version).toMatch(/^\d+$/);
    });

    it('is none of a kind that nobody serves', async () => {
      const place = await open();
      const scope = { kind: { ...configMaps, group: 'no.such' } };
      expect(await place.stream.version(scope, forever)).toMatchObject({ kind: 'absent' });
    });

    it('stays where a write changes nothing', async () => {
      const place = await open();
      const made = await writer(place).create('a', { data: { x: '1' } });
      const again = await writer(place).patch('a', { data: { x: '1' } });
      expect(versionIn(again)).toBe(versionIn(made));
    });
  });
}
