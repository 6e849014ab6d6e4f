/**
 * What a program wrote, to the byte as `JSON.stringify` writes it: it needs no YAML, whose loading and reading are 6 ms of
 * a bundle's cold start. Whatever else stands there, a key that stands twice among it, is left to YAML.
 */
export function plainJson(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text.trimEnd() ? value : undefined;
  } catch {
    return undefined;
  }
}
