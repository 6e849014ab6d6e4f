const mostKnown = 2_000;
const longestKnown = 512;

/** Names and places recur, as pods of one template have the same: what was made of one is remembered, and the oldest forgotten. */
export function recurring<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly made: T }>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.made;

    const made = make(text);
    if (text.length <= longestKnown) known.set(text, { made });
    const [oldest] = known.size > mostKnown ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return made;
  };
}
