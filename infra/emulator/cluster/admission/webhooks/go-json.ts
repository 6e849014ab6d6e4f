const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

/** What Go says of the start of a text that is no JSON; of one that breaks later, its commonest words. */
export function goJsonError(text: string): string {
  const trimmed = text.trimStart();
  const literal = literals[trimmed.charAt(0)];
  if (trimmed === '') return 'unexpected end of JSON input';
  if (literal !== undefined) return literalError(trimmed, literal);
  if (/^[{["\d-]/.test(trimmed)) return brokenLater(text);
  return `invalid character '${trimmed.charAt(0)}' looking for beginning of value`;
}

function literalError(text: string, literal: string): string {
  const at = [...literal].findIndex((letter, index) => text.charAt(index) !== letter);
  if (at < 0) return `invalid character '${text.charAt(literal.length)}' after top-level value`;
  if (text.length === at) return 'unexpected end of JSON input';
  return `invalid character '${text.charAt(at)}' in literal ${literal} (expecting '${literal.charAt(at)}')`;
}

function brokenLater(text: string): string {
  const at = placeAfter(text);
  return at === undefined
    ? 'unexpected end of JSON input'
    : `invalid character '${text.charAt(at)}' after top-level value`;
}

function placeAfter(text: string): number | undefined {
  try {
    JSON.parse(text);
  } catch (cause: unknown) {
    const [, at] = /after JSON at position (\d+)/.exec(String(cause)) ?? [];
    return at === undefined ? undefined : Number(at);
  }
  return undefined;
}
