import { createPublicKey, verify } from 'node:crypto';
import { pemBlocks } from './pem.ts';

/** What a PKCS#10 request for a certificate says. */
export type CertificateRequest = { readonly organizations: readonly string[] };

/** Base64 of PEM, as the API has it; or why it is none, in the words of the real server. */
export function certificateRequestIn(base64: string): CertificateRequest | string {
  const [first] = pemBlocks(Buffer.from(base64, 'base64').toString());
  if (first?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return requestIn(first.bytes);
  } catch (cause: unknown) {
    // What is no DER runs over an end, or holds no key.
    if (cause instanceof Error) return 'asn1: syntax error: data truncated';
    throw cause;
  }
}

function requestIn(der: Buffer): CertificateRequest | string {
  const [info, algorithm, signature] = partsOf(firstOf(der));
  const [, subject, key] = partsOf(info);
  const way = signings[partsOf(algorithm)[0]?.content.toString('hex') ?? ''];
  if (info === undefined || key === undefined || signature === undefined) return malformed;
  if (way === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  const publicKey = createPublicKey({ key: key.whole, format: 'der', type: 'spki' });
  // A string of bits says first how many of its last byte are none.
  const isSigned = verify(way.hash, info.whole, publicKey, signature.content.subarray(1));
  return isSigned ? { organizations: organizationsIn(subject) } : way.failure;
}

const malformed = 'asn1: structure error: sequence truncated';

const ecdsa = 'x509: ECDSA verification failure';
const rsa = 'crypto/rsa: verification error';
const ed25519 = 'x509: Ed25519 verification failure';

type Signing = { readonly hash: string | null; readonly failure: string };

/** By the object identifier of the algorithm. */
const signings: Readonly<Record<string, Signing>> = {
  '2a8648ce3d040302': { hash: 'sha256', failure: ecdsa },
  '2a8648ce3d040303': { hash: 'sha384', failure: ecdsa },
  '2a8648ce3d040304': { hash: 'sha512', failure: ecdsa },
  '2a864886f70d01010b': { hash: 'sha256', failure: rsa },
  '2a864886f70d01010c': { hash: 'sha384', failure: rsa },
  '2a864886f70d01010d': { hash: 'sha512', failure: rsa },
  '2b6570': { hash: null, failure: ed25519 },
};

const organization = '55040a';

function organizationsIn(subject: Element | undefined): readonly string[] {
  return partsOf(subject)
    .flatMap(partsOf)
    .map(partsOf)
    .filter(([type]) => type?.content.toString('hex') === organization)
    .map(([, value]) => value?.content.toString() ?? '');
}

/** Of DER: what it is of is in the content, the whole is what is signed. */
type Element = { readonly whole: Buffer; readonly content: Buffer };

function partsOf(of: Element | undefined): readonly Element[] {
  return of === undefined ? [] : elementsIn(of.content);
}

function elementsIn(der: Buffer): readonly Element[] {
  if (der.length === 0) return [];
  const first = firstOf(der);
  return [first, ...elementsIn(der.subarray(first.whole.length))];
}

/** After the tag comes a short length, or how many bytes a long one has. */
function firstOf(der: Buffer): Element {
  const said = der.readUInt8(1);
  const more = said < 0x80 ? 0 : said & 0x7f;
  const start = 2 + more;
  const end = start + (more === 0 ? said : der.readUIntBE(2, more));
  if (end > der.length) throw new RangeError('an element ends behind its text');
  return { whole: der.subarray(0, end), content: der.subarray(start, end) };
}
