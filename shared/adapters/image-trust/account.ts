import type { Pod } from './parts.ts';

/** Whose credentials are shown. */
export type Account = {
  /** By name. */
  readonly key: string;
  readonly namespace: string;
};

/** Who shows none. */
export const nobody: Account = { key: '', namespace: '' };

export function accountOf(pod: Pod | undefined): Account {
  if (pod === undefined) return nobody;
  const { namespace, serviceAccount, pullSecrets } = pod;
  return { key: JSON.stringify([namespace, serviceAccount, pullSecrets]), namespace };
}
