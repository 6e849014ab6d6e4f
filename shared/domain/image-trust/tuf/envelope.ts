import { parseBounded } from '../../bounded-json.ts';
import { anyObject, decode, listUpTo, record, text } from '../../decode.ts';
import type { JsonObject } from '../../json.ts';
import { fromUtf8 } from './bytes.ts';
import { canonicalJson } from './canonical-json.ts';
import { type Checked, distrusted, held } from './finding.ts';

export type Signature = { readonly keyid: string; readonly method: string; readonly sig: string };

/** A file of metadata whose signatures nobody has looked at yet. */
export type Envelope = {
  /** The whole file, as it came. */
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly signed: JsonObject;
  /** What the signatures are over. */
  readonly message: Uint8Array;
  readonly signatures: readonly Signature[];
};

/** Each costs a verification: a root that lived through all its rotations has some ten. */
const maxSignatures = 128;

const envelope = record({
  signed: anyObject,
  signatures: listUpTo(maxSignatures, record({ keyid: text, method: text, sig: text })),
});

/** Metadata is at most eight levels deep; what the owner of a target adds by himself may be deeper. */
const metadataBounds = { maxDepth: 32, maxMarks: 2_000_000 } as const;

export function openEnvelope(role: string, bytes: Uint8Array, maxBytes: number): Checked<Envelope> {
  const parsed = parseBounded(bytes, { maxBytes, ...metadataBounds });
  if (parsed.kind !== 'json') return distrusted(role, parsed.kind);

  const read = decode(envelope, parsed.value);
  if (!read.ok) return distrusted(role, 'malformed');

  const { signed, signatures } = read.value;
  const message = canonicalJson(signed);
  if (message === undefined) return distrusted(role, 'malformed');
  return held({ text: parsed.text, bytes, signed, message: fromUtf8(message), signatures });
}
