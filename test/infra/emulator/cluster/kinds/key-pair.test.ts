import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { unpaired } from '#infra/emulator/cluster/kinds/settings/key-pair.ts';
import { issueCa } from '#shared/adapters/certificates/issue.ts';

const life = { notBefore: new Date('2030-01-01'), notAfter: new Date('2040-01-01') };
const { certificate, key } = await issueCa(life);
const other = await issueCa(life);
const pem = { type: 'pkcs8', format: 'pem' } as const;
const ed25519 = generateKeyPairSync('ed25519').privateKey.export(pem).toString();

it.each([
  ['its own key', key, undefined],
  ['its own key behind something else', `${certificate}${key}`, undefined],
  ['the key of another', other.key, 'tls: private key does not match public key'],
  ['a key of another kind', ed25519, 'tls: private key type does not match public key type'],
])('a certificate and %s', (_, of, why) => {
  expect(unpaired(certificate, of)).toBe(why);
});
