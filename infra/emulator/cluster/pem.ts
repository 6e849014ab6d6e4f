import { X509Certificate } from 'node:crypto';

export type PemBlock = {
  readonly type: string;
  readonly hasHeaders: boolean;
  /** The block alone, as it stands in the text. */
  readonly pem: string;
  readonly bytes: Buffer;
};

const block = /-----BEGIN ([^-]+)-----([\s\S]*?)-----END \1-----/g;

/** All that a text holds; what is between them counts for nothing. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(block)].map(([pem, type = '', body = '']) => ({
    ...{ type, pem },
    hasHeaders: /^[\w-]+: /m.test(body),
    bytes: Buffer.from(body, 'base64'),
  }));
}

/** `undefined` for what is no certificate. */
export function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch (cause: unknown) {
    if (cause instanceof Error) return undefined;
    throw cause;
  }
}
