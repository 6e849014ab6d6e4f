import { decode, dictionary, list, optional, record, text } from '#shared/domain/decode.ts';
import { type Kind, secrets, serviceAccounts } from '#shared/domain/kind.ts';
import { type RegistryLogin, unreadLogin } from '#shared/domain/registry/credential.ts';
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
    if (!isName(name)) return nothing;
    const key = `${kind.resource} ${namespace}/${name}`;
    const known = kept.find(key);
    const now = clock.now().getTime();
    if (known !== undefined && now < known.at + keptMs()) return known.value;
    const value = cluster.find({ kind, namespace, name }).catch((cause: unknown) => {
      // What we may not read opens nothing; others may.
      if (isRefused(cause)) return undefined;
      // Whoever asks next reads it again.
      kept.drop((each) => each === key);
      return unread;
    });
    kept.keep(key, { at: now, value });
    return value;
  };
  const ofPod = async ({
    namespace,
    serviceAccount,
    pullSecrets,
  }: Pod): Promise<readonly RegistryLogin[]> => {
    const told = await find(serviceAccounts, namespace, serviceAccount || 'default');
    const read = decode(account, told);
    const ofAccount = read.ok ? read.value.imagePullSecrets.map(({ name }) => name) : [];
    const names = [...new Set([...pullSecrets, ...ofAccount])].filter((name) => name !== '');
    const found = await Promise.all(
      names.slice(0, mostSecrets).map((name) => find(secrets, namespace, name)),
    );
    return [...(told === unread ? [unreadLogin] : []), ...found.flatMap(loginsIn)];
  };
  return {
    ofPod,
    /** One that is named, whoever's pods are judged. */
    ofSecret: async (namespace: string, name: string): Promise<readonly RegistryLogin[]> =>
      loginsIn(await find(secrets, namespace, name)),
  };
}

const unread = Symbol('could not be read');
const nothing = Promise.resolve(undefined);

/** Of others there is no object, and whoever names one makes the API server fail no read of it. */
function isName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name);
}

/** It has answered, and would answer the same again. */
function isRefused(cause: unknown): boolean {
  const status = cause instanceof Error && 'status' in cause ? Number(cause.status) : 0;
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

function loginsIn(object: unknown): readonly RegistryLogin[] {
  if (object === unread) return [unreadLogin];
  const read = decode(secret, object);
  return read.ok ? readPullSecret(read.value.data).logins : [];
}
