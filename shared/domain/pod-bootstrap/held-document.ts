import { isJsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { BootstrapDocument } from './document.ts';
import { readDocument } from './read-document.ts';

/** The document that counts, and what is to be said of what was read last. */
export type Held = {
  readonly document: BootstrapDocument | undefined;
  readonly source: string | undefined;
  /** Of the ConfigMap that was seen last; `undefined` where there was none. */
  readonly uid: string | undefined;
  readonly warnings: readonly string[];
  /** Of a bad text: the document is then the one before it. */
  readonly problems: readonly string[];
};

export const nothingHeld: Held = {
  document: undefined,
  source: undefined,
  uid: undefined,
  warnings: [],
  problems: [],
};

/** A bad text changes nothing but what is said. The same text again is the same document, to the object. */
export function afterReading(held: Held, source: string): Held {
  if (source === held.source) return held;
  const read = readDocument(source);
  return read.ok
    ? { ...held, document: read.document, source, warnings: read.warnings, problems: [] }
    : { ...held, source, warnings: [], problems: read.problems };
}

/** As well of a ConfigMap that is not there, or has no such key: whoever takes it away has said nothing of pods. */
export function afterSeeing(held: Held, seen: KubeObject | undefined, key: string): Held {
  const uid = seen?.metadata.uid;
  const source = sourceIn(seen, key);
  if (source !== undefined) return { ...afterReading(held, source), uid };

  const problem = seen === undefined ? 'there is no such ConfigMap' : `it has no key ${key}`;
  return { ...held, uid, source: undefined, warnings: [], problems: [problem] };
}

export function sourceIn(seen: KubeObject | undefined, key: string): string | undefined {
  const data = seen?.['data'];
  const source = isJsonObject(data) && Object.hasOwn(data, key) ? data[key] : undefined;
  return typeof source === 'string' ? source : undefined;
}
