import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCryptography } from '#shared/adapters/notary/cryptography.ts';
import type { Key, SignatureMethod } from '#shared/domain/image-trust/tuf/key.ts';
import { certified, strangeKeys, withKeyBytes } from '#test/support/tuf/certified.ts';
import { bare, edwards, elliptic, inCertificate, rsa } from '#test/support/tuf/signer.ts';

const inRsa = await certified({ commonName: 'x', kind: 'rsa' });
const inEcdsa = await certified({ commonName: 'x' });
const authority = await certified({ commonName: 'ca', isAuthority: true });
const issued = await certified({ commonName: 'x', issuer: authority.issuer });
const shortRsa = rsa(2048);
const message = Buffer.from('what is signed');

const signers = {
  ecdsa: elliptic(),
  'ecdsa on P-384': elliptic('P-384'),
  'ecdsa on P-521': elliptic('P-521'),
  'ecdsa-x509': inCertificate(inEcdsa.pem, inEcdsa.privateKey),
  rsa: shortRsa,
  'rsa-x509': inCertificate(inRsa.pem, inRsa.privateKey),
  ed25519: edwards(),
} as const;
const methods: readonly SignatureMethod[] = ['ecdsa', 'rsapss', 'rsapkcs1v15', 'eddsa'];

function bytesOf(sig: string): Uint8Array {
  return Buffer.from(sig, 'base64');
}

describe('a signature', () => {
  it.each(Object.entries(signers))('by a key of type %s holds for its bytes only', (_, signer) => {
    const { method, sig } = signer.sign(message);
    const signed = { method: method as SignatureMethod, bytes: bytesOf(sig) };
    const { verify } = nodeCryptography;
    expect(verify(signer.key, message, signed)).toBe(true);
    expect(verify(signer.key, Buffer.from('another'), signed)).toBe(false);
    for (const other of methods.filter((each) => each !== method)) {
      expect(verify(signer.key, message, { ...signed, method: other }), other).toBe(false);
    }
    for (const bytes of [
      signed.bytes.subarray(0, -1),
      Buffer.alloc(0),
      Buffer.alloc(signed.bytes.length),
    ]) {
      expect(verify(signer.key, message, { ...signed, bytes })).toBe(false);
    }
  });

  it('of the older RSA kind holds as well', () => {
    for (const signer of [signers.rsa, signers['rsa-x509']]) {
      const { sig } = signer.sign(message, 'rsapkcs1v15');
      const signed = { method: 'rsapkcs1v15', bytes: bytesOf(sig) } as const;
      expect(nodeCryptography.verify(signer.key, message, signed)).toBe(true);
      // Without a digest of its own, this method would take the key's usual one.
      const claimed = { ...signed, method: 'eddsa' } as const;
      expect(nodeCryptography.verify(signer.key, message, claimed)).toBe(false);
    }
  });
});

describe('a key', () => {
  it.each(Object.entries(signers))('of type %s is read', (_, { key }) => {
    const facts = nodeCryptography.readKey(key);
    expect(key.type.startsWith(facts?.algorithm ?? 'none')).toBe(true);
    expect(facts?.certificates).toHaveLength(key.type.endsWith('-x509') ? 1 : 0);
  });

  it('is the same in a certificate and without', () => {
    const publicKeyOf = (key: Key) => nodeCryptography.readKey(key)?.publicKey;
    expect(publicKeyOf(bare(inEcdsa.privateKey).key)).toBe(publicKeyOf(signers['ecdsa-x509'].key));
  });

  const { public: der } = signers.ecdsa.key;
  const secp256k1 = bare(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey);
  const { public: pem } = signers['ecdsa-x509'].key;
  it.each<[string, Key]>([
    ['of a type that is none', { type: 'dsa', public: der }],
    ['of a type that every object has', { type: 'constructor', public: der }],
    ['of another algorithm than its type says', { type: 'rsa', public: der }],
    ['in a certificate of another algorithm', { type: 'rsa-x509', public: pem }],
    ['that is no base64', { type: 'ecdsa', public: `${der}*` }],
    ['that is empty', { type: 'ecdsa', public: '' }],
    ['that is not 32 bytes', { type: 'ed25519', public: 'AAAA' }],
    ['on a curve that Notary does not know', secp256k1.key],
    ['in what is no certificate', { type: 'ecdsa-x509', public: der }],
    [
      'in more certificates than lead anywhere',
      { type: 'ecdsa-x509', public: Buffer.from(inEcdsa.pem.repeat(9)).toString('base64') },
    ],
    ...Object.entries(strangeKeys).map(([what, bytes]): [string, Key] => [
      `${what} in a certificate`,
      inCertificate(withKeyBytes(inEcdsa.pem, bytes), inEcdsa.privateKey).key,
    ]),
  ])('%s is no key', (_, key) => {
    expect(nodeCryptography.readKey(key)).toBeUndefined();
  });

  it('is one though its certificate names nobody', async () => {
    const { pem, privateKey } = await certified({ commonName: '' });
    const [leaf] = nodeCryptography.readKey(inCertificate(pem, privateKey).key)?.certificates ?? [];
    expect(leaf).toMatchObject({ commonName: '', isAuthority: false });
  });

  const chains = [inEcdsa.pem, inRsa.pem, issued.pem].map((pem) => new X509Certificate(pem).raw);
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255) });
  const pemOf = (der: Buffer) =>
    `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;

  it('is a value whatever bytes stand in its certificate, and so is all that is asked of it', () => {
    const read: unknown[] = [];
    fc.assert(
      fc.property(
        fc.constantFrom(...chains),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('ecdsa-x509', 'rsa-x509'),
        (der, changes, type) => {
          const bytes = Buffer.from(der);
          for (const { at, byte } of changes) bytes[at % bytes.length] = byte;
          const pem = pemOf(bytes) + authority.pem;
          const key = { type, public: Buffer.from(pem).toString('base64') };
          read.push(nodeCryptography.readKey(key)?.algorithm);
          for (const method of methods) {
            nodeCryptography.verify(key, message, { method, bytes: Buffer.alloc(64) });
          }
          nodeCryptography.leadsUntil(key, authority.pem, new Date('2030-01-01T00:00:00Z'));
        },
      ),
      { seed: 6_012, numRuns: 400 },
    );
    expect(new Set(read)).toEqual(new Set(['ecdsa', 'rsa', undefined]));
  });
});
