import {
  createPublicKey,
  sign as cryptoSign,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { annotationNames, payloadType } from '#shared/domain/image-trust/cosign/layout.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { type Content, contentOf, descriptorOf, imageType } from '../registry/pushed-image.ts';

/** Somebody with a key, as `cosign generate-key-pair` makes one. */
export type KeySigner = { readonly pem: string; readonly privateKey: KeyObject };

export function keySigner(
  kind: 'p256' | 'p384' | 'rsa' | 'short-rsa' | 'ed25519' = 'p256',
): KeySigner {
  const { privateKey } = pairOf(kind);
  return {
    pem: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
    privateKey,
  };
}

function pairOf(kind: 'p256' | 'p384' | 'rsa' | 'short-rsa' | 'ed25519') {
  switch (kind) {
    case 'p256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'p384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384' });
    case 'ed25519':
      return generateKeyPairSync('ed25519');
    default:
      return generateKeyPairSync('rsa', { modulusLength: kind === 'rsa' ? 2048 : 1024 });
  }
}

export function signatureBy({ privateKey }: KeySigner, message: Uint8Array): string {
  const hash = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return cryptoSign(hash, message, privateKey).toString('base64');
}

export type Said = {
  readonly digest: string;
  readonly reference?: string;
  readonly type?: string;
  readonly annotations?: JsonObject | null;
};

/** Simple signing, as cosign writes it. */
export function payloadOf(said: Said): Buffer {
  const {
    digest,
    reference = '',
    type = 'cosign container image signature',
    annotations = null,
  } = said;
  return Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': reference },
        image: { 'docker-manifest-digest': digest },
        type,
      },
      optional: annotations,
    }),
  );
}

export function statementOf(said: Said & { readonly predicate?: string }): Buffer {
  const {
    digest,
    reference,
    annotations = {},
    predicate = 'https://sigstore.dev/cosign/sign/v1',
  } = said;
  return Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        {
          ...(reference === undefined ? {} : { name: reference }),
          digest: { sha256: digest.slice(7) },
          annotations,
        },
      ],
      predicateType: predicate,
      predicate: {},
    }),
  );
}

/** A layer with what is written beside it. */
export type SignedLayer = {
  readonly content: Content;
  readonly annotations: Readonly<Record<string, string>>;
};

export function layerBy(signer: KeySigner, payload: Buffer): SignedLayer {
  return layerOf(payload, { signature: signatureBy(signer, payload) });
}

export function layerOf(
  payload: Buffer,
  stated: Partial<Record<keyof typeof annotationNames, string>>,
): SignedLayer {
  const named = Object.entries(stated).map(([key, value]) => [
    annotationNames[key as keyof typeof annotationNames],
    value,
  ]);
  return { content: contentOf(payloadType, payload), annotations: Object.fromEntries(named) };
}

export const emptyConfig = contentOf('application/vnd.oci.empty.v1+json', {});

/** What stands under the signature tag. */
export function signatureManifest(layers: readonly SignedLayer[], more: JsonObject = {}): Content {
  return contentOf(imageType, {
    schemaVersion: 2,
    mediaType: imageType,
    config: descriptorOf(emptyConfig),
    layers: layers.map(({ content, annotations }) => ({ ...descriptorOf(content), annotations })),
    ...more,
  });
}
