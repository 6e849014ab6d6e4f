import { createHash } from 'node:crypto';
import type { Credential } from '#shared/domain/registry/credential.ts';

/** Who asks: with a credential, or as nobody. */
export type Account = Credential | undefined;

const keys = new WeakMap<Credential, string>();

/** Names it without telling it: what was got for one account never serves another. */
export function accountKey(account: Account): string {
  if (account === undefined) return 'nobody';
  // One login may stand there 2,000 times for a registry, for each read of which all are named.
  const key = keys.get(account) ?? hashOf(account);
  keys.set(account, key);
  return key;
}

function hashOf(credential: Credential): string {
  return createHash('sha256').update(JSON.stringify(credential)).digest('base64');
}

export function basic({ username, password }: Extract<Credential, { kind: 'password' }>): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

/** What could not stand in a header is no token. */
export function bearer(token: string): string | undefined {
  return /^[\x21-\x7e]{1,16384}$/.test(token) ? `Bearer ${token}` : undefined;
}
