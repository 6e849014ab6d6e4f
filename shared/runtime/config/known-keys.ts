import { distance } from 'fastest-levenshtein';
import { isJsonObject } from '#shared/domain/json.ts';

/** Every key that the schema knows, in whichever of its forms, as a path: `nodeAffinity.pools`, `a.list[].key`. */
export function knownKeys(schema: unknown, prefix = ''): readonly string[] {
  if (!isJsonObject(schema)) return [];

  const forms = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  const inside = Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {});
  const items = schema['items'] === undefined ? [] : knownKeys(schema['items'], `${prefix}[]`);
  return [
    ...forms.flatMap((form) => knownKeys(form, prefix)),
    ...items,
    ...inside.flatMap(([key, value]) => {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      return [path, ...knownKeys(value, path)];
    }),
  ];
}

/** The known key that was probably meant: near in spelling, and of two equally near the one in the same place. */
export function nearestKey(path: string, known: readonly string[]): string | undefined {
  const wanted = last(path);
  const limit = Math.max(1, Math.floor(plain(wanted).length * 0.4));
  const [best] = known
    .map((key) => ({
      key,
      far: distance(plain(last(key)), plain(wanted)) + (above(key) === above(path) ? 0 : 0.5),
    }))
    .filter(({ far }) => far < limit + 0.5)
    .sort((a, b) => a.far - b.far);
  return best?.key;
}

/** What may stand beside it. */
export function siblings(path: string, known: readonly string[]): readonly string[] {
  return known.filter((key) => above(key) === above(path)).map(last);
}

/** `node-affinity` and `NodeAffinity` mean `nodeAffinity`. */
function plain(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '');
}

function last(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function above(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('.'))).replace(/\[\d+\]/g, '[]');
}
