import { X509Certificate } from 'node:crypto';
import { preAuthentication } from '#shared/adapters/cosign/opened.ts';
import { decode, list, maybe, record, text } from '#shared/domain/decode.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import {
  type Content,
  contentOf,
  descriptorOf,
  imageType,
  indexType,
} from '../registry/pushed-image.ts';
import { emptyConfig, type KeySigner, signatureBy } from './signing.ts';

export const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** A referrer that holds a bundle. */
export function bundleManifest(bundle: Content, subject: Content): Content {
  return contentOf(imageType, {
    schemaVersion: 2,
    mediaType: imageType,
    artifactType: bundleType,
    config: descriptorOf(emptyConfig),
    layers: [descriptorOf(bundle)],
    subject: descriptorOf(subject),
  });
}

export function bundleContent(bundle: JsonObject | Buffer): Content {
  return contentOf(bundleType, bundle);
}

export function referrersIndex(
  referrers: readonly {
    readonly content: Content;
    readonly artifactType?: string;
    readonly annotations?: JsonObject;
  }[],
): Content {
  return contentOf(indexType, {
    schemaVersion: 2,
    mediaType: indexType,
    manifests: referrers.map(({ content, ...stated }) => ({ ...descriptorOf(content), ...stated })),
  });
}

/** As `cosign sign --key` of version 3 makes it, without a log. */
export function keyBundle(
  signer: KeySigner,
  statement: Buffer,
  type = 'application/vnd.in-toto+json',
): JsonObject {
  return {
    mediaType: bundleType,
    verificationMaterial: { publicKey: { hint: 'key' }, tlogEntries: [] },
    dsseEnvelope: {
      payload: statement.toString('base64'),
      payloadType: type,
      signatures: [{ sig: signatureBy(signer, preAuthentication(type, statement)), keyid: '' }],
    },
  };
}

const bytes = record({ rawBytes: text });
const keyless = record({
  verificationMaterial: record({
    certificate: maybe(bytes),
    x509CertificateChain: maybe(record({ certificates: list(bytes) })),
    tlogEntries: list(
      record({
        logIndex: text,
        logId: record({ keyId: text }),
        integratedTime: text,
        inclusionPromise: record({ signedEntryTimestamp: text }),
        canonicalizedBody: text,
      }),
    ),
  }),
  messageSignature: record({ signature: text }),
});

/** What earlier versions of cosign write into annotations for the same proof. */
export function annotationsOf(bundle: JsonObject) {
  const read = decode(keyless, bundle);
  if (!read.ok) throw new Error(`no keyless bundle: ${JSON.stringify(read.problems)}`);
  const { verificationMaterial: material, messageSignature } = read.value;
  const [entry] = material.tlogEntries;
  const raw = material.certificate ?? material.x509CertificateChain?.certificates[0];
  if (entry === undefined || raw === undefined) throw new Error('nothing was logged');
  return {
    signature: messageSignature.signature,
    certificate: new X509Certificate(Buffer.from(raw.rawBytes, 'base64')).toString(),
    rekor: JSON.stringify({
      SignedEntryTimestamp: entry.inclusionPromise.signedEntryTimestamp,
      Payload: {
        body: entry.canonicalizedBody,
        integratedTime: Number(entry.integratedTime),
        logIndex: Number(entry.logIndex),
        logID: Buffer.from(entry.logId.keyId, 'base64').toString('hex'),
      },
    }),
  };
}
