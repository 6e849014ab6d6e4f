import { type OutsideHost, type OutsideRefused, refused } from '#shared/domain/outside.ts';

/** One request on its way: what is left of it after the redirects so far. */
export type Hop = {
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly redirects: number;
};

export type Redirect = { readonly status: number; readonly location: string | undefined };

const most = 5;

export type Hosts = ReadonlyMap<string, OutsideHost>;

export function hostsByName(hosts: readonly OutsideHost[]): Hosts {
  return new Map(hosts.map((host) => [nameOf(host.host, host.plainHttp === true), host]));
}

export function originOf(host: string, hosts: Hosts): string {
  const isPlain = hosts.get(nameOf(host, true))?.plainHttp === true;
  return `${isPlain ? 'http' : 'https'}://${host}`;
}

/** As a URL has it: without the port that its scheme implies. */
function nameOf(host: string, isPlain: boolean): string {
  return parsed(`${isPlain ? 'http' : 'https'}://${host}`)?.host ?? host;
}

export function firstHop(url: string, authorization: string | undefined, hosts: Hosts) {
  return checked({ url: parsed(url), authorization, redirects: 0 }, hosts);
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Credentials end at the border of their host, and do not come back when the way does. */
export function nextHop(hop: Hop, location: string | undefined, hosts: Hosts) {
  if (hop.redirects >= most) return refused('redirect', `more than ${most} redirects`);
  const url = location === undefined ? undefined : parsed(location, hop.url.href);
  if (url === undefined) return refused('redirect', 'a redirect that leads nowhere');
  const authorization = url.origin === hop.url.origin ? hop.authorization : undefined;
  return checked({ url, authorization, redirects: hop.redirects + 1 }, hosts);
}

type Unchecked = Omit<Hop, 'url'> & { readonly url: URL | undefined };

function checked(hop: Unchecked, hosts: Hosts): Hop | OutsideRefused {
  const { url } = hop;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return refused('bad-url', 'no URL of https');
  }
  // Somebody else's credentials, or a host that looks like another.
  if (url.username !== '' || url.password !== '') return refused('bad-url', 'a URL with a login');
  if (url.protocol === 'http:' && hosts.get(url.host)?.plainHttp !== true) {
    return refused('plain-http', `${url.host} is not configured as plain http`);
  }
  return { ...hop, url };
}

function parsed(text: string, base?: string): URL | undefined {
  return URL.parse(text, base) ?? undefined;
}
