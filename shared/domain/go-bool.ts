const words: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word) => [word, false] as const),
]);

/** As Go's `strconv.ParseBool` reads it, and nothing else. */
export function parseBool(text: string): boolean | undefined {
  return words.get(text);
}
