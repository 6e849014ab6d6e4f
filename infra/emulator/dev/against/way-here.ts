import { isIPv6 } from 'node:net';

/** How the API server calls this machine; `undefined` where nobody has said it. */
export type WayHere = {
  readonly host: string;
  /** Any free one where it is left out. */
  readonly port?: number;
  /** What we listen on. */
  readonly address: string;
};

/** `--webhook-host` as it was given, `HOST` or `HOST:PORT`; `undefined` where it is neither. */
export function wayFrom(stated: string): WayHere | undefined {
  const bracketed = isIPv6(stated) ? `[${stated}]` : stated;
  if (!/^(\[[\da-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?$/.test(bracketed)) return undefined;
  if (!URL.canParse(`https://${bracketed}`)) return undefined;
  const { hostname, port } = new URL(`https://${bracketed}`);
  const host = bare(hostname);
  const address = isLoopback(host) ? '127.0.0.1' : '0.0.0.0';
  return { host, address, ...(port === '' ? {} : { port: Number(port) }) };
}

/** An API server on this machine finds us on this machine. */
export function wayBackFrom(server: URL): WayHere | undefined {
  return isLoopback(bare(server.hostname))
    ? { host: 'localhost', address: '127.0.0.1' }
    : undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
