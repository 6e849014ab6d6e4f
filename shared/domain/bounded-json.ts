import type { Json } from './json.ts';

export type JsonBounds = {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Commas, colons and brackets: what makes a parser allocate. */
  readonly maxMarks: number;
};

export type BoundedJson =
  | { readonly kind: 'json'; readonly value: Json; readonly text: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'malformed' };

/** What is too deep or has too many parts is refused before anything is built of it. */
export function parseBounded(bytes: Uint8Array, bounds: JsonBounds): BoundedJson {
  if (bytes.length > bounds.maxBytes || !staysWithin(bytes, bounds)) return { kind: 'too-large' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: 'json', value: JSON.parse(text), text };
  } catch {
    // Bytes that are no UTF-8, or text that is no JSON.
    return { kind: 'malformed' };
  }
}

const quote = 0x22;
const backslash = 0x5c;
const opening: readonly number[] = [0x5b, 0x7b];
const closing: readonly number[] = [0x5d, 0x7d];
const dividing: readonly number[] = [0x2c, 0x3a];

function staysWithin(bytes: Uint8Array, { maxDepth, maxMarks }: JsonBounds): boolean {
  let depth = 0;
  let marks = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfString(bytes, at);
    const step = stepOf(byte);
    depth += step;
    if (step === 1 || dividing.includes(byte)) marks += 1;
    if (depth > maxDepth || marks > maxMarks) return false;
  }
  return true;
}

function stepOf(byte: number): -1 | 0 | 1 {
  if (opening.includes(byte)) return 1;
  return closing.includes(byte) ? -1 : 0;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
