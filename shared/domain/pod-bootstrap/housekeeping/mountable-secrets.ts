import { parseBool } from '../../go-bool.ts';
import { isJsonObject, isList } from '../../json.ts';
import type { KubeObject } from '../../kube-object.ts';

const enforces = 'kubernetes.io/enforce-mountable-secrets';

/**
 * Whether the API server refuses a pod of this account that names the pull secret: it looks after all mutations, and
 * counts `imagePullSecrets` alone, not `secrets` (`limitSecretReferences` of its ServiceAccount plugin).
 */
export function refusesPullSecret(account: KubeObject | undefined, pullSecret: string): boolean {
  if (account === undefined) return false;
  const isEnforced = parseBool(account.metadata.annotations?.[enforces] ?? '') === true;
  return isEnforced && !listedIn(account).includes(pullSecret);
}

function listedIn({ imagePullSecrets }: KubeObject): readonly unknown[] {
  if (!isList(imagePullSecrets)) return [];
  return imagePullSecrets.map((each) => (isJsonObject(each) ? each['name'] : undefined));
}
