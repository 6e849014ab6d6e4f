import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import { readPullSecret } from '#shared/domain/registry/pull-secret.ts';
import type { World } from '../frame/controller.ts';
import { secrets } from '../shapes/kinds.ts';
import type { Pod } from '../shapes/pod.ts';

/** Of the pod's pull secrets, in their order; one that is gone shows nothing. */
export async function loginsOf(
  { metadata, spec }: Pod,
  { api }: Pick<World, 'api'>,
): Promise<readonly RegistryLogin[]> {
  const named = (spec.imagePullSecrets ?? []).filter(({ name }) => name !== '');
  const found = await Promise.all(
    named.map(({ name }) => api.find({ kind: secrets, namespace: metadata.namespace, name })),
  );
  return found.flatMap((secret) => {
    return secret === undefined ? [] : readPullSecret(dataOf(secret)).logins;
  });
}

function dataOf({ data }: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return (data ?? {}) as Readonly<Record<string, string>>;
}
