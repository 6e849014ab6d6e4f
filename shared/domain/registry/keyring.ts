import type { Credential, RegistryLogin } from './credential.ts';

/** Where an image is read: the registry as its name says it, without what a mirror makes of it. */
export type RepositoryPlace = { readonly registry: string; readonly repository: string };

type Key = {
  /** What the kubelet sorts by: host, port and path, without a scheme. */
  readonly text: string;
  readonly labels: readonly Pattern[];
  readonly port: string;
  readonly path: string;
};

/** Of a label: what stands between its stars, and how many letters that is. */
type Pattern = { readonly parts: readonly string[]; readonly letters: number };

type Keyed = { readonly key: Key; readonly credential: Credential };

const dockerHub = 'docker.io';
/** `docker login` writes `https://index.docker.io/v1/`. */
const dockerHubKey = 'index.docker.io';

/**
 * Those that the kubelet would try, in its order: the longer path first, then as the Secrets are listed. Hosts match
 * label by label with `*`, ports exactly, paths as a prefix of the text (`/kyma` holds for `/kyma-other` too: it is the
 * same host, and the kubelet sends them there).
 */
export function credentialsFor(
  { registry, repository }: RepositoryPlace,
  logins: readonly RegistryLogin[],
): readonly Credential[] {
  const image = { ...splitHost(registry), path: `/${repository}` };
  const keyed = keyringOf(logins);
  const matching = keyed.filter(({ key }) => fits(key, image));
  const chosen =
    matching.length > 0 || registry !== dockerHub
      ? matching
      : keyed.filter(({ key }) => key.text === dockerHubKey);
  return chosen.map(({ credential }) => credential);
}

const keyrings = new WeakMap<readonly RegistryLogin[], readonly Keyed[]>();

/** Taken apart once for all images of a pod: 2,200 logins took two milliseconds for each read of a registry. */
function keyringOf(logins: readonly RegistryLogin[]): readonly Keyed[] {
  const keyed = keyrings.get(logins) ?? logins.flatMap(keyedOf).toSorted(inOrder);
  keyrings.set(logins, keyed);
  return keyed;
}

function keyedOf({ place, credential }: RegistryLogin): readonly Keyed[] {
  const key = place === undefined ? undefined : keyOf(place);
  return key === undefined || credential === undefined ? [] : [{ key, credential }];
}

function inOrder(one: Keyed, other: Keyed): number {
  return backwards(one.key.text, other.key.text);
}

/** Of a URL only the host and the path are looked at; a user, a query or a fragment says nothing about the place. */
function keyOf(place: string): Key | undefined {
  const bare = place.replace(/[?#].*$/s, '');
  const [, host = '', path = ''] =
    /^(?:https?:\/\/)?(?:[\w.~%:-]*@)?([^/@\s\\]+)(\/.*)?$/s.exec(bare) ?? [];
  if (host === '') return undefined;
  const below = /^\/v[12]\//.test(path) ? path.slice(3) : path;
  const kept = below === '/' ? '' : below;
  const { labels, port } = splitHost(host);
  return { text: host + kept, labels: labels.map(patternOf), port, path: kept };
}

function patternOf(label: string): Pattern {
  const parts = label.split(/\*+/);
  return { parts, letters: parts.join('').length };
}

type Place = ReturnType<typeof splitHost> & { readonly path: string };

/** Hosts mean the same in any case, though the kubelet compares letter by letter. */
function splitHost(host: string): { readonly labels: readonly string[]; readonly port: string } {
  const [, name = host, port = ''] = /^(.*?)(?::(\d*))?$/.exec(host) ?? [];
  return { labels: name.toLowerCase().split('.'), port };
}

function fits(key: Key, image: Place): boolean {
  return (
    key.port === image.port &&
    key.labels.length === image.labels.length &&
    image.path.startsWith(key.path) &&
    key.labels.every((label, index) => isGlobbed(label, image.labels[index] ?? ''))
  );
}

/** One star after the other, without going back: a pattern cannot make it slow. */
function isGlobbed({ parts, letters }: Pattern, label: string): boolean {
  if (letters > label.length) return false;
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return first === label;
  if (!label.startsWith(first) || !label.endsWith(last)) return false;
  const end = label.length - last.length;
  const reached = rest.reduce((at, part) => {
    const found = at < 0 ? -1 : label.indexOf(part, at);
    return found < 0 ? -1 : found + part.length;
  }, first.length);
  return reached >= 0 && reached <= end;
}

function backwards(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? 1 : -1;
}
