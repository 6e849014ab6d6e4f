import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** What a DATABASE_URL says, taken apart. The password stays in `url`, which is never printed. */
export type Address = {
  /** Without what only we understand, and of several hosts with the first alone. */
  readonly url: string;
  readonly hosts: readonly Host[];
  readonly tls: Tls;
  /** For people: host, database and user. */
  readonly where: string;
};

export type Host = { readonly name: string; readonly port: number };

export type Tls = false | 'require' | 'prefer' | 'allow' | 'verify-full' | ConnectionOptions;

/** `new URL` prints what it was given, password and all: its error goes no further. */
export function addressOf(text: string, read: (path: string) => string = readText): Address {
  const urls = urlsOf(text);
  const [url] = urls;
  if (url === undefined || !urls.every(namesServer)) {
    throw refused('DATABASE_URL is no address: expected postgres://user:password@host:port/name');
  }
  if (url.username === '') throw refused('DATABASE_URL names no user');
  const { user, hosts, where } = decoded(url, urls);
  const tls = tlsOf(url.searchParams, read);
  for (const name of ours) url.searchParams.delete(name);
  return { url: url.href, hosts, tls, where: `${where}${url.pathname} as ${user}` };
}

const hostsIn = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** One for each host, as libpq takes several with a port each: a URL has room for one. */
function urlsOf(text: string): readonly URL[] {
  const [, before = '', hosts = '', after = ''] = hostsIn.exec(text) ?? [];
  const each = hosts.split(',').map((host) => `${before}${host}${after}`);
  return each.every((one) => URL.canParse(one)) ? each.map((one) => new URL(one)) : [];
}

function namesServer({ protocol, hostname }: URL): boolean {
  return /^postgres(ql)?:$/.test(protocol) && hostname !== '';
}

/** The password too, which whoever connects decodes: what they would throw says less. */
function decoded({ username, password }: URL, urls: readonly URL[]) {
  try {
    decodeURIComponent(password);
    return {
      user: decodeURIComponent(username),
      hosts: urls.map(hostOf),
      where: urls.map(({ host }) => decodeURIComponent(host)).join(','),
    };
  } catch {
    throw refused('DATABASE_URL cannot be decoded: a % in user or password is written %25');
  }
}

function hostOf({ hostname, port }: URL): Host {
  const name = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  return { name, port: port === '' ? 5432 : Number(port) };
}

/** What to do about it is known, and no stack says more. */
function refused(why: string): Error {
  const mend = [
    'set DATABASE_URL to such an address, with a user in it;',
    'in a password / # ? @ % are percent-encoded: %2F %23 %3F %40 %25',
  ];
  return Object.assign(new Error(why), { mend });
}

const ours = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey'] as const;

/** As libpq understands it: an own root makes `require` check the certificate, only `verify-full` checks the name. */
function tlsOf(params: URLSearchParams, read: (path: string) => string): Tls {
  const mode = params.get('sslmode') ?? params.get('ssl') ?? 'prefer';
  if (mode === 'disable' || mode === 'false') return false;
  if (params.get('sslrootcert') === 'system') return 'verify-full';
  const files = filesOf(params, read);
  if (Object.keys(files).length > 0 || mode.startsWith('verify')) return checked(mode, files);
  return mode === 'prefer' || mode === 'allow' ? mode : 'require';
}

function checked(mode: string, files: ConnectionOptions): ConnectionOptions {
  if (mode === 'verify-full') return files;
  const isChecked = files.ca !== undefined || mode === 'verify-ca';
  return isChecked
    ? { ...files, checkServerIdentity: anyName }
    : { ...files, rejectUnauthorized: false };
}

function anyName(): undefined {
  return undefined;
}

function filesOf(params: URLSearchParams, read: (path: string) => string): ConnectionOptions {
  const [ca, cert, key] = [params.get('sslrootcert'), params.get('sslcert'), params.get('sslkey')];
  return {
    ...(ca === null ? {} : { ca: read(ca) }),
    ...(cert === null ? {} : { cert: read(cert) }),
    ...(key === null ? {} : { key: read(key) }),
  };
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}
