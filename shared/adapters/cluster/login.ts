import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';

/** Where the API server is, and who we are there. The caller has read the environment, not we. */
export type Login =
  /** One path, or several as KUBECONFIG joins them. */
  | { readonly kind: 'kubeconfig'; readonly path: string; readonly context?: string | undefined }
  /** A kubeconfig's own text, for where there are no files: a Lambda. */
  | { readonly kind: 'kubeconfig-text'; readonly text: string }
  | {
      readonly kind: 'in-cluster';
      readonly host: string;
      readonly port: string;
      /** Of the mounted `token` and `ca.crt`. */
      readonly directory?: string | undefined;
    }
  /** All that is to be known: the emulator's cluster, which was made a moment ago. Loads no library. */
  | {
      readonly kind: 'direct';
      readonly server: string;
      readonly ca: string;
      readonly by: { readonly token: string } | { readonly cert: string; readonly key: string };
    };

export type Session = {
  /** The server's address; a path in it (behind a proxy) goes before ours. */
  readonly server: URL;
  /** Address, credentials and connection of the next request. Files and helpers are asked anew when they are old. */
  options(): Promise<RequestOptions>;
  /** Forgets what is known: the server refused it. */
  renew(): void;
  close(): void;
};

/**
 * A watch's batch is what has come of it, about this: 64 KiB are 12 pods, and each batch is a transaction. Ten kinds that
 * are listed at once hold ten, each several times over: 256 KiB are 8 MiB more.
 */
export const readAheadBytes = 128 * 1024;

const connections = {
  keepAlive: true,
  keepAliveMsecs: 30_000,
  highWaterMark: readAheadBytes,
} as const;

export type SessionOptions = {
  /** At once; a watch holds one for as long as it lasts. */
  readonly maxSockets?: number;
};

/** How a login is asked with. */
export type Asking = Pick<Session, 'options' | 'renew'> & {
  readonly server: string;
  /** By an agent of its own. */
  readonly isProxied: boolean;
};

export async function openSession(login: Login, options: SessionOptions = {}): Promise<Session> {
  const { maxSockets = 64 } = options;
  const asking = await askingBy(login);
  const server = new URL(asking.server);
  // One agent for all: it keeps sockets apart by CA, certificate and key, so a renewed one gets connections of its own.
  const agent =
    server.protocol === 'http:'
      ? new HttpAgent({ ...connections, maxSockets })
      : new HttpsAgent({ ...connections, maxSockets });
  return {
    server,
    async options() {
      const options = await asking.options();
      return asking.isProxied ? options : { ...options, agent };
    },
    renew: asking.renew,
    close: () => agent.destroy(),
  };
}

async function askingBy(login: Login): Promise<Asking> {
  if (login.kind !== 'direct') return (await import('./kubeconfig.ts')).askingWith(login);
  const { server, ca, by } = login;
  const who = 'token' in by ? { headers: { authorization: `Bearer ${by.token}` } } : by;
  return { server, isProxied: false, options: async () => ({ ca, ...who }), renew() {} };
}
