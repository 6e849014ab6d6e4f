import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { delimiter, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';

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

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';
const connections = {
  keepAlive: true,
  keepAliveMsecs: 30_000,
  // A watch's batch is what has come of it, at most this: 64 KiB are 12 pods, and each batch is a transaction.
  highWaterMark: 256 * 1024,
} as const;

export type SessionOptions = {
  /** At once; a watch holds one for as long as it lasts. */
  readonly maxSockets?: number;
};

export async function openSession(login: Login, options: SessionOptions = {}): Promise<Session> {
  const { maxSockets = 64 } = options;
  const load = () => loaded(new KubeConfig(), login);
  let config = load();
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig names no current cluster');
  const server = new URL(cluster.server);

  // One agent for all: it keeps sockets apart by CA, certificate and key, so a renewed one gets connections of its own.
  const agent =
    server.protocol === 'http:'
      ? new HttpAgent({ ...connections, maxSockets })
      : new HttpsAgent({ ...connections, maxSockets });
  return {
    server,
    async options() {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      return cluster.proxyUrl ? options : { ...options, agent };
    },
    renew() {
      config = load();
    },
    close: () => agent.destroy(),
  };
}

function loaded(config: KubeConfig, login: Login): KubeConfig {
  if (login.kind === 'in-cluster') {
    config.loadFromOptions(inCluster(login));
    return config;
  }
  if (login.kind === 'kubeconfig-text') {
    config.loadFromString(login.text);
    return config;
  }
  const [first = '', ...rest] = login.path.split(delimiter).filter((path) => path !== '');
  config.loadFromFile(first);
  for (const path of rest) {
    const more = new KubeConfig();
    more.loadFromFile(path);
    config.mergeConfig(more, true);
  }
  if (login.context !== undefined) config.setCurrentContext(login.context);
  return config;
}

/** As the client's own `loadFromCluster`, which reads the environment. The token's file is read again each minute. */
function inCluster({ host, port, directory = mounted }: Login & { readonly kind: 'in-cluster' }) {
  const address = host.includes(':') ? `[${host}]` : host;
  const tokenFile = join(directory, 'token');
  return {
    clusters: [
      {
        name: 'cluster',
        server: `https://${address}:${port}`,
        caFile: join(directory, 'ca.crt'),
        skipTLSVerify: false,
      },
    ],
    users: [{ name: 'user', authProvider: { name: 'tokenFile', config: { tokenFile } } }],
    contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
    currentContext: 'context',
  };
}
