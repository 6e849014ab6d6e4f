import { type Envelope, openEnvelope } from './envelope.ts';
import { checkFile, sha256Of } from './file-proof.ts';
import { type Checked, distrusted, type Outage, unavailable } from './finding.ts';
import type { Cryptography } from './key.ts';
import type { FileFacts } from './metadata.ts';

/** One file of a collection. The decision asks for it, and whoever carries the question out knows the way there. */
export type Ask = {
  readonly role: string;
  readonly at:
    | { readonly kind: 'latest' }
    | { readonly kind: 'version'; readonly version: number }
    /** In hex; such a file never changes. */
    | { readonly kind: 'digest'; readonly sha256: string };
  /** What comes beyond is not taken: a reply may be longer, or `too-large`. */
  readonly maxBytes: number;
  /** Asked for next if all is well: it may be fetched meanwhile, and nobody looks at it before it is asked for. */
  readonly ahead?: readonly Ask[];
};

export type Reply =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'absent' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'failed'; readonly why: Outage };

/** A decision that asks for files on its way. It is given each reply, and does nothing by itself. */
export type Asking<T> = Generator<Ask, T, Reply>;

export function* fetched(
  ask: Ask,
  whenAbsent: 'no-trust-data' | 'missing-file',
): Asking<Checked<Envelope>> {
  const reply = yield ask;
  switch (reply.kind) {
    case 'file':
      return openEnvelope(ask.role, reply.bytes, ask.maxBytes);
    case 'absent':
      return distrusted(ask.role, whenAbsent);
    case 'too-large':
      return distrusted(ask.role, 'too-large');
    case 'failed':
      return unavailable(ask.role, reply.why);
  }
}

type Stated = {
  readonly stated: FileFacts | undefined;
  readonly maxBytes: number;
  readonly crypto: Cryptography;
  readonly ahead?: readonly Ask[];
};

/** What a file that another one names is asked for by; nothing for one that could not be taken. */
export function askFor(role: string, stated: FileFacts, maxBytes: number): Ask | undefined {
  const sha256 = sha256Of(stated);
  if (sha256 === undefined || stated.length > maxBytes) return undefined;
  return { role, at: { kind: 'digest', sha256 }, maxBytes: stated.length };
}

/** A file that another one names: no more than stated is taken, and none of it is looked at before its hash. */
export function* fetchedAs(
  role: string,
  { stated, maxBytes, crypto, ahead = [] }: Stated,
): Asking<Checked<Envelope>> {
  if (stated === undefined) return distrusted(role, 'malformed');
  const ask = askFor(role, stated, maxBytes);
  if (ask === undefined) {
    return distrusted(role, sha256Of(stated) === undefined ? 'malformed' : 'too-large');
  }
  const reply = yield { ...ask, ahead };
  if (reply.kind === 'absent') return distrusted(role, 'missing-file');
  if (reply.kind === 'too-large') return distrusted(role, 'bad-length');
  if (reply.kind === 'failed') return unavailable(role, reply.why);
  const proven = checkFile(role, reply.bytes, { stated, crypto });
  return proven.ok ? openEnvelope(role, proven.value, maxBytes) : proven;
}
