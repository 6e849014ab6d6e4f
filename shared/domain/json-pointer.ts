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

/** What stands between two slashes; `undefined` where a tilde means nothing. */
export function segmentOf(text: string): string | undefined {
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
  const index = Number(segment);
  return index >= 0 && Number.isSafeInteger(index) && String(index) === segment ? index : undefined;
}

/** The order matters: `~01` is `~1`, not `/`. */
function unescaped(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function escaped(segment: string): string {
  if (!segment.includes('~') && !segment.includes('/')) return segment;
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
