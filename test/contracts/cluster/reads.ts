import { beforeAll, describe, expect, it } from 'vitest';
import { configMaps, namespaces } from '#shared/domain/kind.ts';
import type { ListOptions } from '#shared/ports.ts';
import { configMap, made, mapIn, namesIn, type Open, type Place } from './place.ts';

const letters = {
  a: { tier: 'front' },
  b: { tier: 'front' },
  c: { tier: 'back' },
  d: { tier: 'back' },
  e: { tier: 'back', old: 'yes' },
};

export function readContract(open: Open): void {
  describe('reading', () => {
    let place: Place;

    beforeAll(async () => {
      place = await open();
      for (const [name, labels] of Object.entries(letters)) {
        const object = configMap(place, name, { metadata: { labels }, data: { letter: name } });
        await made(place, configMaps, object);
      }
    });

    it('finds an object with its kind, uid and version', async () => {
      expect(await place.cluster.find(mapIn(place, 'a'))).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'a',
          namespace: place.namespace,
          uid: expect.stringMatching(/./),
          resourceVersion: expect.stringMatching(/^\d+$/),
        },
        data: { letter: 'a' },
      });
    });

    it('finds nothing where nothing is', async () => {
      expect(await place.cluster.find(mapIn(place, 'nobody'))).toBeUndefined();
    });

    it('refuses to look for a namespaced object without a namespace', async () => {
      const nowhere = place.cluster.find({ kind: configMaps, name: 'a' });
      await expect(nowhere).rejects.toThrow('configmaps are named with a namespace');
    });

    it('refuses a namespace for a kind that has none', async () => {
      const inside = place.cluster.find({ kind: namespaces, namespace: 'x', name: 'x' });
      await expect(inside).rejects.toThrow('namespaces have no namespace');
    });

    it('lists every object once over several pages, by name', async () => {
      expect(await namesIn(place, { pageSize: 2 })).toEqual(['a', 'b', 'c', 'd', 'e']);
    });

    it('lists a page that is exactly full', async () => {
      expect(await namesIn(place, { pageSize: 5 })).toEqual(['a', 'b', 'c', 'd', 'e']);
    });

    it('lists objects that say what they are', async () => {
      const first = await firstOf(place, {});
      expect(first).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { letter: 'a' } });
    });

    it('lists metadata alone where no more is asked for', async () => {
      const first = await firstOf(place, { metadataOnly: true });
      expect(Object.keys(first ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
      expect(first).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    });

    it('lists a namespaced kind across namespaces', async () => {
      const options = { namespace: undefined, fields: `metadata.namespace=${place.namespace}` };
      expect(await namesIn(place, options)).toEqual(['a', 'b', 'c', 'd', 'e']);
    });

    it.each<[string, ListOptions, readonly string[]]>([
      ['an equal label', { labels: { matchLabels: { tier: 'front' } } }, ['a', 'b']],
      ['labels that nobody has', { labels: { matchLabels: { tier: 'none' } } }, []],
      ['one of several values', { labels: expression('tier', 'In', 'front', 'x') }, ['a', 'b']],
      ['none of the values', { labels: expression('tier', 'NotIn', 'front') }, ['c', 'd', 'e']],
      ['a label that is there', { labels: expression('old', 'Exists') }, ['e']],
      ['a label that is not', { labels: expression('old', 'DoesNotExist') }, ['a', 'b', 'c', 'd']],
      ['a name', { fields: 'metadata.name=c' }, ['c']],
      ['any name but one', { fields: 'metadata.name!=c' }, ['a', 'b', 'd', 'e']],
      [
        'label and field at once',
        { labels: { matchLabels: { tier: 'back' } }, fields: 'metadata.name!=c' },
        ['d', 'e'],
      ],
    ])('lists by %s', async (_, options, expected) => {
      expect(await namesIn(place, options)).toEqual(expected);
    });
  });
}

async function firstOf({ cluster, namespace }: Place, options: ListOptions) {
  for await (const object of cluster.list(configMaps, { namespace, ...options })) return object;
  return undefined;
}

function expression(
  key: string,
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
  ...values: readonly string[]
) {
  const stated = values.length === 0 ? {} : { values };
  return { matchExpressions: [{ key, operator, ...stated }] };
}
