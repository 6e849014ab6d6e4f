import { decode, dictionary, list, optional, record, text } from '#shared/domain/decode.ts';
import { type Kind, secrets, serviceAccounts } from '#shared/domain/kind.ts';
import {
  leftOutLogin,
  type RegistryLogin,
  unreadLogin,
} from '#shared/domain/registry/credential.ts';
import { firstLogins } from '#shared/domain/registry/docker-config.ts';
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
const leftOutSecrets = leftOutLogin(
  `its pod and their service account name more than ${mostSecrets} pull secrets, and the first ${mostSecrets} are read, ` +
    "the pod's before the account's: name fewer, or the one for this registry before the others",
);

type Reading = {
  readonly cluster: Pick<Cluster, 'find'>;
  readonly clock: Clock;
  readonly keptMs: () => number;
};

/** How long an API server that did not hand it out is left alone: else each image of each review would ask it. */
const restMs = 1_000;

type Kept<T> = {
  readonly value: Promise<T | typeof unread>;
  /** A clock that was put back since makes nothing young. */
  readonly from: number;
  readonly until: () => number;
};

/**
 * What the kubelet would show a registry for a pod, but for its credential providers. Single reads of the cluster,
 * remembered for seconds in memory, never written anywhere.
 */
export function pullSecretsOn(reading: Reading) {
  const namesOf = readerOf(serviceAccounts, namesIn, reading);
  const loginsOf = readerOf(secrets, loginsIn, reading);
  const ofSecret = async (namespace: string, name: string): Promise<readonly RegistryLogin[]> => {
    const read = await loginsOf(namespace, name);
    return read === unread ? [unreadLogin] : (read ?? []);
  };
  const ofPod = async ({
    namespace,
    serviceAccount,
    pullSecrets,
  }: Pod): Promise<readonly RegistryLogin[]> => {
    const told = await namesOf(namespace, serviceAccount || 'default');
    const ofAccount = told === unread ? [] : (told ?? []);
    const names = [...new Set([...pullSecrets, ...ofAccount])].filter((name) => name !== '');
    const found = await Promise.all(
      names.slice(0, mostSecrets).map((name) => ofSecret(namespace, name)),
    );
    const isCut = names.length > mostSecrets;
    return [
      ...(told === unread ? [unreadLogin] : []),
      ...firstLogins(found.flat()),
      ...(isCut ? [leftOutSecrets] : []),
    ];
  };
  return {
    ofPod,
    /** One that is named, whoever's pods are judged. */
    ofSecret,
  };
}

/** Taken apart once, by whoever asks first. */
function readerOf<T>(kind: Kind, read: (object: unknown) => T, reading: Reading) {
  const { cluster, clock, keptMs } = reading;
  const kept = newest<Kept<T | undefined>>(1_000);
  const now = () => clock.now().getTime();
  return (namespace: string, name: string): Promise<T | typeof unread | undefined> => {
    if (!isName(name)) return Promise.resolve(undefined);
    const key = `${namespace}/${name}`;
    const known = kept.find(key);
    const began = now();
    if (known !== undefined && known.from <= began && began < known.until()) return known.value;
    const value = cluster.find({ kind, namespace, name }).then(read, (cause: unknown) => {
      // What we may not read opens nothing; others may.
      if (isRefused(cause)) return undefined;
      const ended = now();
      // Of what was read again meanwhile the newer word counts.
      if (kept.find(key) === asked)
        kept.keep(key, { value, from: ended, until: () => ended + restMs });
      return unread;
    });
    const asked: Kept<T | undefined> = { value, from: began, until: () => began + keptMs() };
    kept.keep(key, asked);
    return value;
  };
}

const unread: unique symbol = Symbol('could not be read');

/** Of others there is no object, and whoever names one makes the API server fail no read of it. */
function isName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name);
}

/** It has answered, and would answer the same again. */
function isRefused(cause: unknown): boolean {
  const status = cause instanceof Error && 'status' in cause ? Number(cause.status) : 0;
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

function namesIn(object: unknown): readonly string[] {
  const read = decode(account, object);
  return read.ok ? read.value.imagePullSecrets.map(({ name }) => name) : [];
}

function loginsIn(object: unknown): readonly RegistryLogin[] {
  const read = decode(secret, object);
  return read.ok ? readPullSecret(read.value.data).logins : [];
}
