import { recurring } from './recurring.ts';

/** RFC 6901. */
export function pointer(...segments: readonly (string | number)[]): string {
  let text = '';
  for (const segment of segments) text += `/${escaped(String(segment))}`;
  return text;
}

/** `undefined` where the text is no pointer. */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/')) return undefined;
  const segments = text.slice(1).split('/');
  if (!text.includes('~')) return segments;
  return /~(?![01])/.test(text) ? undefined : segments.map(unescaped);
}

/** In what it stands, and by which name; the whole stands in nothing. `at` is the pointer. */
export type Way = { readonly above: Way | undefined; readonly name: string; readonly at: string };

const whole: Way = { above: undefined, name: '', at: '' };

/** `undefined` where the text is no pointer. */
export const wayOf = recurring((text: string): Way | undefined => {
  if (text === '') return whole;
  const slash = text.lastIndexOf('/');
  const above = slash === -1 ? undefined : wayOf(text.slice(0, slash));
  const name = segmentOf(text.slice(slash + 1));
  return above === undefined || name === undefined ? undefined : { above, name, at: text };
});

const members = new Map<string, Map<string | number, string>>();

/** The pointer of a member or an item. Those of pods recur, and what looks for one is quick where it is the same text. */
export function below(place: string, segment: string | number): string {
  const here = members.get(place) ?? remembered(members, place, new Map());
  return here.get(segment) ?? remembered(here, segment, `${place}${pointer(segment)}`);
}

const mostMembers = 256;

/** The first ones, which are those of most pods. */
function remembered<K, V>(known: Map<K, V>, key: K, value: V): V {
  if (known.size < mostMembers) known.set(key, value);
  return value;
}

/** What stands between two slashes; `undefined` where a tilde means nothing. */
function segmentOf(text: string): string | undefined {
  if (!text.includes('~')) return text;
  return /~(?![01])/.test(text) ? undefined : unescaped(text);
}

/** What stands there. Own members only: `constructor` is a name like any other. */
export function valueAt(node: unknown, segment: string | number | undefined): unknown {
  if (typeof node !== 'object' || node === null || segment === undefined) return undefined;
  if (Array.isArray(node)) {
    const index = indexOf(segment);
    return index === undefined ? undefined : node[index];
  }
  return Object.hasOwn(node, segment) ? Reflect.get(node, segment) : undefined;
}

/** RFC 6901 knows no leading zeros and no signs. */
export function indexOf(segment: string | number): number | undefined {
  if (typeof segment === 'number') return segment;
  if (segment === '' || (segment.length > 1 && segment.startsWith('0'))) return undefined;
  let index = 0;
  for (let at = 0; at < segment.length; at += 1) {
    const digit = segment.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    index = index * 10 + digit;
  }
  return Number.isSafeInteger(index) ? index : undefined;
}

/** The order matters: `~01` is `~1`, not `/`. */
function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function escaped(segment: string): string {
  if (!segment.includes('~') && !segment.includes('/')) return segment;
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
