/** An API server as the suite sees it: an address, and who may do all there. */
export type Place = {
  readonly url: string;
  /** PEM */
  readonly ca: string;
  /** A bearer token of `system:masters`. */
  readonly token: string;
  /** For what happens soon: it is given up after that. */
  readonly patienceMs: number;
};

/** What a case calls by a name in braces: its namespace, and what it has saved of answers. */
export type Names = Map<string, string>;

/** `{ns}` is a name, `{a*63}` many letters. Braces of a name that nobody knows stay: JSON and CEL have some as well. */
export function filled(text: string, names: Names): string {
  return text
    .replace(/\{([A-Za-z])\*(\d+)\}/g, (_, letter: string, times: string) =>
      letter.repeat(Number(times)),
    )
    .replace(/\{([A-Za-z][A-Za-z0-9]*)\}/g, (whole, name: string) => names.get(name) ?? whole);
}

/** In all of its texts, keys included. */
export function filledAll(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return filledText(value, names);
  if (Array.isArray(value)) return value.map((item) => filledAll(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, each]) => [filled(key, names), filledAll(each, names)]),
  );
}

/** `{#port}` is a number. */
function filledText(text: string, names: Names): string | number {
  const [, number] = /^\{#(\w+)\}$/.exec(text) ?? [];
  return number === undefined ? filled(text, names) : Number(names.get(number));
}
