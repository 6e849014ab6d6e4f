import type { Json } from '#shared/domain/json.ts';
import {
  afterReading,
  type Held,
  nothingHeld,
} from '#shared/domain/pod-bootstrap/held-document.ts';
import type { TrustBundle } from '#shared/domain/pod-bootstrap/trust-bundle.ts';
import type { BootstrapDocuments } from '#shared/ports.ts';

export type BootstrapDocumentsInMemory = BootstrapDocuments & {
  /** As if the ConfigMap had been written: text as it is, anything else as JSON. */
  write(document: Json): Pick<Held, 'warnings' | 'problems'>;
  know(name: string, bundle: TrustBundle): void;
};

/** Through the product's own reader: what is bad leaves the one before in place. */
export function bootstrapDocumentsInMemory(first?: Json): BootstrapDocumentsInMemory {
  const bundles = new Map<string, TrustBundle>();
  let held = nothingHeld;
  const write = (document: Json) => {
    const source = typeof document === 'string' ? document : JSON.stringify(document);
    held = { ...afterReading(held, source), uid: 'uid-of-the-document' };
    return held;
  };
  if (first !== undefined) write(first);
  return {
    current: async () => held.document,
    problems: async () => held.problems,
    readLive: async () => held,
    trustBundle: async (name) => bundles.get(name) ?? { kind: 'unknown' },
    write,
    know(name, bundle) {
      bundles.set(name, bundle);
    },
  };
}
