import { readFileSync, statSync } from 'node:fs';
import { maxConfigBytes } from './load.ts';
import type { Text } from './original-warden.ts';

/** With what the file of Warden's says that it names. */
export type Read = Text & { readonly original?: Text & { readonly path: string } };

/** At most 1 MiB from a local disk, rarely: synchronous, so that no two reads overtake each other. */
export function readConfig(file: string, original?: string): Read {
  const read = readText(file);
  return original === undefined ? read : { ...read, original: readOriginal(original) };
}

function readOriginal(path: string): Text & { readonly path: string } {
  return { ...readText(path), path };
}

export function readText(file: string): Text {
  try {
    if (statSync(file).size > maxConfigBytes) return { why: 'too large' };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) };
  } catch (cause: unknown) {
    return { why: cause instanceof Error ? cause.message : String(cause) };
  }
}
