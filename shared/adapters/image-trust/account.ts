import type { Pod } from './parts.ts';
import { sha256 } from './sha256.ts';

/** Whose credentials are shown. */
export type Account = {
  /** By name, as a hash: it is copied for each image, and a pod may name a megabyte of Secrets. */
  readonly key: string;
  readonly namespace: string;
};

/** Who shows none. */
export const nobody: Account = { key: '', namespace: '' };

export function accountOf(pod: Pod | undefined): Account {
  if (pod === undefined) return nobody;
  const { namespace, serviceAccount, pullSecrets } = pod;
  return { key: sha256(JSON.stringify([namespace, serviceAccount, pullSecrets])), namespace };
}
