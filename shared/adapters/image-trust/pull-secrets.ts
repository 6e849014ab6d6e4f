import { decode, dictionary, list, optional, record, text } from '#shared/domain/decode.ts';
import { type Kind, secrets, serviceAccounts } from '#shared/domain/kind.ts';
import type { RegistryLogin } from '#shared/domain/registry/credential.ts';
import { readPullSecret } from '#shared/domain/registry/pull-secret.ts';
import type { Clock, Cluster } from '#shared/ports.ts';
import { newest } from './newest.ts';
import type { Pod } from './parts.ts';

const secret = record({ data: optional(dictionary(text), {}) });
const account = record({
  imagePullSecrets: optional(list(record({ name: optional(text, '') })), []),
});

/** More are not read for one pod: each is a request to the API server. */
const mostSecrets = 16;

type Reading = {
  readonly cluster: Pick<Cluster, 'find'>;
  readonly clock: Clock;
  readonly keptMs: () => number;
};

/**
 * What the kubelet would show a registry for a pod, but for its credential providers. Single reads of the cluster,
 * remembered for seconds in memory, never written anywhere.
 */
export function pullSecretsOn({ cluster, clock, keptMs }: Reading) {
  const kept = newest<{ readonly at: number; readonly value: Promise<unknown> }>(1_000);
  const find = (kind: Kind, namespace: string, name: string): Promise<unknown> => {
    const key = `${kind.resource} ${namespace}/${name}`;
    const known = kept.find(key);
    const now = clock.now().getTime();
    if (known !== undefined && now < known.at + keptMs()) return known.value;
    // A Secret that is missing or cannot be read opens nothing; others may.
    const value = cluster.find({ kind, namespace, name }).catch(() => undefined);
    kept.keep(key, { at: now, value });
    return value;
  };
  const ofPod = async ({
    namespace,
    serviceAccount,
    pullSecrets,
  }: Pod): Promise<readonly RegistryLogin[]> => {
    const read = decode(
      account,
      await find(serviceAccounts, namespace, serviceAccount || 'default'),
    );
    const ofAccount = read.ok ? read.value.imagePullSecrets.map(({ name }) => name) : [];
    const names = [...new Set([...pullSecrets, ...ofAccount])].filter((name) => name !== '');
    const found = await Promise.all(
      names.slice(0, mostSecrets).map((name) => find(secrets, namespace, name)),
    );
    return found.flatMap(loginsIn);
  };
  return {
    ofPod,
    /** One that is named, whoever's pods are judged. */
    ofSecret: async (namespace: string, name: string): Promise<readonly RegistryLogin[]> =>
      loginsIn(await find(secrets, namespace, name)),
  };
}

function loginsIn(object: unknown): readonly RegistryLogin[] {
  const read = decode(secret, object);
  return read.ok ? readPullSecret(read.value.data).logins : [];
}
