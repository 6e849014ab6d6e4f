/** What Go's `net/url` makes of a request URI; what a browser would normalise stays as it was written. */
export type GoUrl = {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
};

export function goUrl(text: string): GoUrl | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Go refuses them.
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return undefined;
  const [, scheme = '', rest = ''] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(.*)$/.exec(text) ?? [];
  if (rest.startsWith('/')) return hierarchical(scheme.toLowerCase(), rest);
  return scheme === ''
    ? undefined
    : { scheme: scheme.toLowerCase(), host: '', path: '', query: '' };
}

function hierarchical(scheme: string, rest: string): GoUrl | undefined {
  const [, whole = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(rest) ?? [];
  const [, authority, path = whole] = /^\/\/([^/]*)(.*)$/.exec(whole) ?? [];
  const host = authority?.replace(/^.*@/, '') ?? '';
  if (!isHost(host) || /%(?![0-9a-fA-F]{2})/.test(path)) return undefined;
  return { scheme, host, path: escapedPath(path), query };
}

function isHost(host: string): boolean {
  const [, name, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(host) ?? [];
  return (
    name !== undefined && /^\d*$/.test(port) && !/[ "<>\\^`{|}]|%(?![0-9a-fA-F]{2})/.test(name)
  );
}

/** As it was written, if it may be written so. */
function escapedPath(path: string): string {
  if (/^[\w\-.~!$&'()*+,;=:@[\]%/]*$/.test(path)) return path;
  const bytes = Buffer.from(path)
    .toString('latin1')
    .replaceAll(/%(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return bytes.replaceAll(/[^\w\-.~$&+,/:;=@]/g, (byte) => {
    return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

export function hostname({ host }: GoUrl): string {
  return host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
}

export function port({ host }: GoUrl): string {
  return /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';
}
