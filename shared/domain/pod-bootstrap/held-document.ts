import type { BootstrapDocument } from './document.ts';
import { readDocument } from './read-document.ts';

/** The document that counts, and what is to be said of the text that was read last. */
export type Held = {
  readonly document: BootstrapDocument | undefined;
  readonly source: string | undefined;
  readonly warnings: readonly string[];
  /** Of a bad text: the document is then the one before it. */
  readonly problems: readonly string[];
};

export const nothingHeld: Held = {
  document: undefined,
  source: undefined,
  warnings: [],
  problems: [],
};

/** A bad text changes nothing but what is said. The same text again is the same document, to the object. */
export function afterReading(held: Held, source: string): Held {
  if (source === held.source) return held;
  const read = readDocument(source);
  return read.ok
    ? { document: read.document, source, warnings: read.warnings, problems: [] }
    : { ...held, source, warnings: [], problems: read.problems };
}
