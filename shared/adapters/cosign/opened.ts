import { type Bundle, bundleFromJSON } from '@sigstore/bundle';
import { parseBounded } from '#shared/domain/bounded-json.ts';
import type { Claim } from '#shared/domain/image-trust/cosign/claim.ts';
import type { Tried } from '#shared/domain/image-trust/cosign/conclusion.ts';
import type { Evidence, OldEvidence } from '#shared/domain/image-trust/cosign/evidence.ts';
import { bounds } from '#shared/domain/image-trust/cosign/layout.ts';
import { bundleOf } from '#shared/domain/image-trust/cosign/old-bundle.ts';
import { readPayload } from '#shared/domain/image-trust/cosign/payload.ts';
import { readStatement, statementType } from '#shared/domain/image-trust/cosign/statement.ts';
import { fromBase64 } from '#shared/domain/image-trust/tuf/bytes.ts';
import type { Json } from '#shared/domain/json.ts';

/** A proof taken apart: what it claims, and over which bytes it was signed. Nothing of it is believed yet. */
export type Opened = {
  readonly kind: 'opened';
  readonly claims: readonly Claim[];
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  /** With a certificate and what the log says of it, where there is one. */
  readonly bundle: Bundle | undefined;
  /** What a bundle of a bare signature does not hold itself. */
  readonly artifact: Buffer | undefined;
};

export function openEvidence(evidence: Evidence): Opened | Tried {
  return (evidence.kind === 'payload' ? openPayload(evidence) : openBundle(evidence.bytes)) ?? none;
}

const none: Tried = { kind: 'flaw', why: 'malformed', note: 'what is kept as a signature is none' };

function openPayload(evidence: OldEvidence): Opened | undefined {
  const claim = readPayload(evidence.payload);
  const signature = fromBase64(evidence.stated.signature);
  if (claim === undefined || signature === undefined) return undefined;
  const stated = bundleOf(evidence);
  return {
    kind: 'opened',
    claims: [claim],
    message: evidence.payload,
    signature,
    bundle: stated === undefined ? undefined : bundleIn(stated),
    artifact: Buffer.from(evidence.payload),
  };
}

/** A bare signature in a bundle is one over a file; that the file is this image nobody has said. */
function openBundle(bytes: Uint8Array): Opened | undefined {
  const parsed = parseBounded(bytes, { ...bounds.json, maxBytes: bounds.bundleBytes });
  const bundle = parsed.kind === 'json' ? bundleIn(parsed.value) : undefined;
  if (bundle?.content.$case !== 'dsseEnvelope') return undefined;
  const { payloadType, payload, signatures } = bundle.content.dsseEnvelope;
  const [signed] = signatures;
  if (signed === undefined || payloadType !== statementType) return undefined;
  return {
    kind: 'opened',
    claims: readStatement(payload),
    message: preAuthentication(payloadType, payload),
    signature: signed.sig,
    bundle,
    artifact: undefined,
  };
}

/** The library throws at what is no bundle, in many ways. */
function bundleIn(stated: Json): Bundle | undefined {
  try {
    return bundleFromJSON(stated);
  } catch {
    return undefined;
  }
}

/** What DSSE has signed: the type too, so that one kind of text cannot pass for another. */
export function preAuthentication(type: string, payload: Uint8Array): Uint8Array {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}
