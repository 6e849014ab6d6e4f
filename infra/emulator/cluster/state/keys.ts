import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPair } from '#shared/ports.ts';

/** What must be the same after a restart, or nobody could log in with what he has. */
export type Keys = {
  readonly ca: KeyPair;
  readonly leaf: KeyPair;
  readonly admin: KeyPair;
  /** Who vouches for others before the servers behind this one, and by whom that is believed. */
  readonly frontProxy: KeyPair;
  readonly frontProxyCa: string;
  /** Signs the tokens of service accounts. */
  readonly signingKey: string;
  readonly adminToken: string;
  readonly notAfter: string;
};

const dayMs = 86_400_000;

/** Those of the folder, or new ones; without a folder they last as long as the process. */
export async function openKeys(directory: string | undefined, now: Date): Promise<Keys> {
  const kept = directory === undefined ? undefined : readKeys(join(directory, 'keys.json'));
  if (kept !== undefined && Date.parse(kept.notAfter) > now.getTime() + dayMs) return kept;
  // Its libraries take a tenth of a second: only the first start waits for them.
  const { newKeys } = await import('./new-keys.ts');
  const keys = await newKeys(now);
  if (directory !== undefined) writeKeys(join(directory, 'keys.json'), keys);
  return keys;
}

function readKeys(path: string): Keys | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Keys;
  } catch (cause: unknown) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new Error(`the keys of the cluster in ${path} cannot be read`, { cause });
  }
}

function writeKeys(path: string, keys: Keys): void {
  writeFileSync(`${path}.new`, JSON.stringify(keys), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
