const mostKnown = 2_000;
const longestKnown = 512;

/**
 * Names and places recur, as pods of one template have the same: what was made of one is remembered, and what nobody
 * asks for is forgotten. In two halves, of which the older is let go as a whole: to find the oldest one of a Map, V8 goes
 * through all that were taken out of it.
 */
export function recurring<T>(make: (text: string) => T): (text: string) => T {
  let older = new Map<string, { readonly made: T }>();
  let newer = new Map<string, { readonly made: T }>();
  return (text) => {
    const found = newer.get(text);
    if (found !== undefined) return found.made;

    const known = older.get(text) ?? { made: make(text) };
    if (text.length > longestKnown) return known.made;
    newer.set(text, known);
    if (newer.size >= mostKnown / 2) [older, newer] = [newer, new Map()];
    return known.made;
  };
}
