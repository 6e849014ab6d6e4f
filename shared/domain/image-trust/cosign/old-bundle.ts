import { parseBounded } from '../../bounded-json.ts';
import { decode, integerFrom, record, refine, text } from '../../decode.ts';
import type { Json, JsonObject } from '../../json.ts';
import { fromBase64, fromHex, fromUtf8, toBase64 } from '../tuf/bytes.ts';
import type { OldEvidence, StatedProof } from './evidence.ts';
import { bounds } from './layout.ts';

const base64 = refine(text, (source) => fromBase64(source) !== undefined, 'base64');

/** The annotation that cosign writes beside a signature when the log has taken it. */
const logged = record({
  SignedEntryTimestamp: base64,
  Payload: record({
    body: base64,
    integratedTime: integerFrom(1),
    logIndex: integerFrom(0),
    logID: refine(text, (source) => /^[0-9a-f]{64}$/.test(source), 'a sha256'),
  }),
});
const entryBody = record({ kind: text, apiVersion: text });
const timestamped = record({ SignedRFC3161Timestamp: base64 });

/** What was kept in annotations, in the form that bundles have today. Nothing for what cannot be a keyless proof. */
export function bundleOf({ sha256, stated }: OldEvidence): JsonObject | undefined {
  const certificate = bodyOfPem(stated.certificate ?? '');
  const entry = entryOf(stated.rekor);
  if (certificate === undefined || entry === undefined) return undefined;
  if (fromBase64(stated.signature) === undefined) return undefined;
  return {
    // Of the version that knows a promise of the log in place of a proof: `cosign sign` kept no more.
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: certificate }] },
      tlogEntries: entry,
      timestampVerificationData: { rfc3161Timestamps: timestampOf(stated) },
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: toBase64(fromHex(sha256)) },
      signature: stated.signature,
    },
  };
}

/** None where there is none: whether one is needed is for the trusted root to say. */
function entryOf(source: string | undefined): readonly JsonObject[] | undefined {
  if (source === undefined) return [];
  const read = decode(logged, jsonIn(source));
  if (!read.ok) return undefined;
  const { body, integratedTime, logIndex, logID } = read.value.Payload;
  const kind = decode(entryBody, jsonIn(new TextDecoder().decode(fromBase64(body))));
  if (!kind.ok) return undefined;
  const entry = {
    logIndex: `${logIndex}`,
    logId: { keyId: toBase64(fromHex(logID)) },
    kindVersion: { kind: kind.value.kind, version: kind.value.apiVersion },
    integratedTime: `${integratedTime}`,
    inclusionPromise: { signedEntryTimestamp: read.value.SignedEntryTimestamp },
    canonicalizedBody: body,
  };
  return [entry];
}

function timestampOf({ timestamp }: StatedProof): readonly JsonObject[] {
  const read = decode(timestamped, timestamp === undefined ? undefined : jsonIn(timestamp));
  return read.ok ? [{ signedTimestamp: read.value.SignedRFC3161Timestamp }] : [];
}

function jsonIn(source: string): Json | undefined {
  const bytes = fromUtf8(source);
  const parsed = parseBounded(bytes, { ...bounds.json, maxBytes: bounds.bundleBytes });
  return parsed.kind === 'json' ? parsed.value : undefined;
}

/** Of the first certificate: the leaf's. The chain above it comes from the trusted root alone. */
function bodyOfPem(source: string): string | undefined {
  const [, body = ''] =
    /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/.exec(source) ?? [];
  const bare = body.replace(/\s/g, '');
  return bare !== '' && fromBase64(bare) !== undefined ? bare : undefined;
}
