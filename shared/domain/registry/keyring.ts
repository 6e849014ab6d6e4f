import type { Credential, RegistryLogin } from './credential.ts';

/** Where an image is read: the registry as its name says it, without what a mirror makes of it. */
export type RepositoryPlace = { readonly registry: string; readonly repository: string };

type Key = {
  /** What the kubelet sorts by: host, port and path, without a scheme. */
  readonly text: string;
  readonly labels: readonly string[];
  readonly port: string;
  readonly path: string;
};

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
  const keyed = logins
    .flatMap(({ place, credential }) => {
      const key = place !== undefined && mayFit(place, image) ? keyOf(place) : undefined;
      return key === undefined || credential === undefined ? [] : [{ key, credential }];
    })
    .toSorted((one, other) => backwards(one.key.text, other.key.text));
  const matching = keyed.filter(({ key }) => fits(key, image));
  const chosen =
    matching.length > 0 || registry !== dockerHub
      ? matching
      : keyed.filter(({ key }) => key.text === dockerHubKey);
  return chosen.map(({ credential }) => credential);
}

/** Of thousands few are for the host; to take each apart took a millisecond for 800. */
function mayFit(place: string, { labels }: Pick<Place, 'labels'>): boolean {
  return place.includes('*') || place.toLowerCase().includes(labels.join('.'));
}

/** Of a URL only the host and the path are looked at; a user, a query or a fragment says nothing about the place. */
function keyOf(place: string): Key | undefined {
  const bare = place.replace(/[?#].*$/s, '');
  const [, host = '', path = ''] =
    /^(?:https?:\/\/)?(?:[\w.~%:-]*@)?([^/@\s\\]+)(\/.*)?$/s.exec(bare) ?? [];
  if (host === '') return undefined;
  const below = /^\/v[12]\//.test(path) ? path.slice(3) : path;
  const kept = below === '/' ? '' : below;
  return { text: host + kept, ...splitHost(host), path: kept };
}

type Place = Omit<Key, 'text'>;

/** Hosts mean the same in any case, though the kubelet compares letter by letter. */
function splitHost(host: string): Pick<Place, 'labels' | 'port'> {
  const [, name = host, port = ''] = /^(.*?)(?::(\d*))?$/.exec(host) ?? [];
  return { labels: name.toLowerCase().split('.'), port };
}

function fits(key: Place, image: Place): boolean {
  return (
    key.port === image.port &&
    key.labels.length === image.labels.length &&
    image.path.startsWith(key.path) &&
    key.labels.every((label, index) => isGlobbed(label, image.labels[index] ?? ''))
  );
}

/** One star after the other, without going back: a pattern cannot make it slow. */
function isGlobbed(pattern: string, label: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === label;
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
