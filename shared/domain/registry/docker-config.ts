import { parseBounded } from '../bounded-json.ts';
import { anyObject, decode, optional, record, text } from '../decode.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { type Credential, leftOutLogin, type RegistryLogin } from './credential.ts';
import { registryJson } from './manifest.ts';

export type DockerConfig = {
  readonly logins: readonly RegistryLogin[];
  /** For the log; no credential stands in them. */
  readonly problems: readonly string[];
};

const entry = record({
  username: optional(text, ''),
  password: optional(text, ''),
  auth: optional(text, ''),
  identitytoken: optional(text, ''),
  registrytoken: optional(text, ''),
});
const config = record({ auths: optional(anyObject, {}) });

/** `config.json`, which is what a Secret of type `kubernetes.io/dockerconfigjson` holds. */
export function readDockerConfig(source: string): DockerConfig {
  const read = decode(config, parsed(source));
  return read.ok ? loginsOf(read.value.auths) : broken;
}

/** The older form has no `auths` around its entries. */
export function readLegacyDockerConfig(source: string): DockerConfig {
  return loginsOf(parsed(source));
}

const broken: DockerConfig = { logins: [], problems: ['it is no Docker configuration'] };

/** Each is looked at for each read of a registry, a pattern at length: whoever may write a Secret must not keep all others waiting. */
const mostHosts = 2_000;
const mostPatterns = 200;

function loginsOf(input: unknown): DockerConfig {
  if (!isJsonObject(input)) return broken;
  const entries = Object.entries(input);
  const isFirst = isAmongFirst();
  const taken = entries.filter(([place]) => isFirst(place));
  const isCut = taken.length < entries.length;
  const read = taken.map(([place, stated]) =>
    loginOf(place, isJsonObject(stated) ? stated : undefined),
  );
  const logins = read.flatMap((each) => (typeof each === 'string' ? [] : [each]));
  const problems = read.flatMap((each) => (typeof each === 'string' ? [each] : []));
  return {
    logins: isCut ? [...logins, leftOutLogin(leftOutEntries)] : logins,
    problems: isCut ? [...problems, tooMany] : problems,
  };
}

/** Of all Secrets of a pod together, in their order: sixteen that are full are 35,200 logins. */
export function firstLogins(logins: readonly RegistryLogin[]): readonly RegistryLogin[] {
  const isFirst = isAmongFirst();
  const first = logins.filter(({ place }) => place === undefined || isFirst(place));
  return first.length < logins.length ? [...first, leftOutLogin(leftOutTogether)] : first;
}

const tooMany = 'it has more entries than are read';
const most = `(${mostHosts} hosts, ${mostPatterns} patterns)`;
const leftOutEntries =
  `a pull secret has more entries than are read ${most}: ` +
  'put the one for this registry first, or into a Secret of its own';
const leftOutTogether =
  `the pull secrets of its pod have more entries together than are read ${most}, the pod's before the account's: ` +
  'put the one for this registry into the Secret that is named first';

function isAmongFirst(): (place: string) => boolean {
  const left = { hosts: mostHosts, patterns: mostPatterns };
  return (place) => {
    const form = place.includes('*') ? 'patterns' : 'hosts';
    left[form] -= 1;
    return left[form] >= 0;
  };
}

/** One broken entry breaks no other: the kubelet would refuse the whole Secret, and with it the pull. */
function loginOf(place: string, stated: JsonObject | undefined): RegistryLogin | string {
  const read = decode(entry, stated ?? {});
  const credential = read.ok ? credentialOf(read.value) : undefined;
  return credential === undefined
    ? `the entry ${JSON.stringify(place.slice(0, 100))} holds no credentials that can be read`
    : { place, credential };
}

type Entry = Readonly<
  Record<'username' | 'password' | 'auth' | 'identitytoken' | 'registrytoken', string>
>;

/** Tokens come first: beside one, `auth` holds a placeholder. `auth` wins over the plain pair, as with the kubelet. */
function credentialOf(stated: Entry): Credential | undefined {
  const { username, password, auth, identitytoken, registrytoken } = stated;
  if (registrytoken !== '') return { kind: 'registry-token', token: registrytoken };
  if (identitytoken !== '') return { kind: 'identity-token', token: identitytoken };
  if (auth !== '') return pairOf(auth);
  return username === '' && password === '' ? undefined : { kind: 'password', username, password };
}

function pairOf(auth: string): Credential | undefined {
  const pair = fromBase64(auth.trim());
  const colon = pair?.indexOf(':') ?? -1;
  if (pair === undefined || colon === -1) return undefined;
  return {
    kind: 'password',
    username: pair.slice(0, colon),
    password: pair.slice(colon + 1),
  };
}

/** With and without padding; a password may hold any text. */
export function fromBase64(source: string): string | undefined {
  const bare = source.replace(/[\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(bare)) return undefined;
  if (bare.replace(/=/g, '').length % 4 === 1) return undefined;
  const bytes = Uint8Array.from(atob(bare.replace(/=/g, '')), (letter) => letter.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** What is no JSON, or too much of it: nothing is in it, and the decoder says so. */
function parsed(source: string): unknown {
  const read = parseBounded(new TextEncoder().encode(source), registryJson);
  return read.kind === 'json' ? read.value : undefined;
}
