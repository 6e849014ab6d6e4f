import { child, isStated, items, type Place, text } from '../words/place.ts';

/** A file of a volume, and whose it is where a volume has several sources. */
type Laid = { readonly path: string; readonly source: string };

/** Warnings of files in one volume of which one lies in the place of the other, or within it. */
export function overlappingPaths(volume: Place): readonly string[] {
  return [...ofOneSource(volume), ...ofSeveral(volume)];
}

function ofOneSource(volume: Place): readonly string[] {
  const found = sources.find(({ key }) => isStated(child(volume, key)));
  if (found === undefined) return [];
  const at = child(volume, found.key);
  const paths = itemPaths(at, '');
  return overlapsIn(paths).map((each) => worded(volume, found.words(at), each));
}

const sources = [
  { key: 'configMap', words: named('ConfigMap', 'name') },
  { key: 'secret', words: named('Secret', 'secretName') },
  { key: 'downwardAPI', words: () => 'DownwardAPI' },
];

function named(word: string, key: string): (at: Place) => string {
  return (at) => `${word} ${JSON.stringify(text(child(at, key)))}`;
}

function ofSeveral(volume: Place): readonly string[] {
  const paths = items(child(volume, 'projected'), 'sources').flatMap(projectedPaths);
  return overlapsIn(paths).map((each) => worded(volume, 'Projected', each));
}

function projectedPaths(source: Place): readonly Laid[] {
  const [map, secret, downward] = ['configMap', 'secret', 'downwardAPI'].map((key) =>
    child(source, key),
  );
  const [token, bundle] = ['serviceAccountToken', 'clusterTrustBundle'].map((key) =>
    child(source, key),
  );
  return [
    ...(map === undefined ? [] : itemPaths(map, named('ConfigMap', 'name')(map))),
    ...(secret === undefined ? [] : itemPaths(secret, named('Secret', 'name')(secret))),
    ...(downward === undefined ? [] : itemPaths(downward, 'DownwardAPI')),
    ...filePath(token, () => 'ServiceAccountToken'),
    ...filePath(bundle, (at) => {
      const key = isStated(child(at, 'name')) ? 'name' : 'signerName';
      return named('ClusterTrustBundle', key)(at);
    }),
  ];
}

function filePath(at: Place | undefined, words: (at: Place) => string): readonly Laid[] {
  return at !== undefined && isStated(at)
    ? [{ path: text(child(at, 'path')), source: words(at) }]
    : [];
}

function itemPaths(at: Place, source: string): readonly Laid[] {
  return items(at, 'items').map((each) => ({ path: text(child(each, 'path')), source }));
}

/** Each with those before it. */
function overlapsIn(stated: readonly Laid[]): readonly string[] {
  const all = stated.map((each) => ({ ...each, path: each.path.replace(/\/+$/, '') }));
  return all.flatMap((one, at) =>
    all
      .slice(0, at)
      .filter((other) => overlap(one.path, other.path))
      .map((other) => `${shown(one)} with ${shown(other)}`),
  );
}

function overlap(one: string, other: string): boolean {
  const isNone = one === '' || other === '';
  return !isNone && (`${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`));
}

function shown({ path, source }: Laid): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}

function worded(volume: Place, of: string, overlap: string): string {
  const name = JSON.stringify(text(child(volume, 'name')));
  return `volume ${name} (${of}): overlapping paths: ${overlap}`;
}
