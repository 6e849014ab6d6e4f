import type { RequestOptions } from 'node:https';
import { join } from 'node:path';
import { type Cluster, KubeConfig } from '@kubernetes/client-node';
import { configFromFiles, configFromText } from './kubeconfig-files.ts';
import type { Asking, Login } from './login.ts';
import { tokenFileReader, withTokenFile } from './token-file.ts';

type Named = Exclude<Login, { readonly kind: 'direct' }>;

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A plugin may start a Python and ask somebody far away; one that hangs must not be waited for by all who come later. */
const pluginMs = 60_000;

export function askingWith(login: Named): Asking {
  const load = () => informed(loaded(login));
  let config = load();
  let asked: Promise<RequestOptions> | undefined;
  const cluster = clusterOf(config);
  if (isPlain(cluster)) return asNobody(cluster);
  return {
    server: cluster.server,
    isProxied: Boolean(cluster.proxyUrl),
    async options() {
      // Of many watches that begin at once, one runs the plugin.
      asked ??= inTime(optionsOf(config)).finally(() => {
        asked = undefined;
      });
      return { ...(await asked) };
    },
    renew() {
      // What is being asked for at this moment is newer than whatever was refused.
      if (asked === undefined) config = load();
    },
  };
}

function clusterOf(config: KubeConfig): Cluster {
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig names no current cluster');
  const user = config.getContextObject(config.getCurrentContext())?.user;
  if (user === undefined || config.getUser(user) !== null) return cluster;
  throw new Error(`the kubeconfig's current context names the user ${user}, who is not in it`);
}

/** Whoever says of http that nobody is to be verified, means the library's way: with credentials. */
function isPlain({ server, skipTLSVerify, proxyUrl }: Cluster): boolean {
  return server.startsWith('http:') && !skipTLSVerify && !proxyUrl;
}

/** As kubectl before a `kubectl proxy`: no credentials go where anybody may read them. The library refuses to ask at all. */
function asNobody({ server }: Cluster): Asking {
  return { server, isProxied: false, options: async () => ({}), renew() {} };
}

async function optionsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  return options;
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`no credentials from the kubeconfig within ${pluginMs} ms`));
  const timer = setTimeout(late, pluginMs);
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}

/** What kubectl tells a plugin in its environment, and the library does not: some refuse to say anything without it. */
function informed(config: KubeConfig): KubeConfig {
  const exec: Plugin | undefined = config.getCurrentUser()?.exec;
  if (exec === undefined) return config;
  const { apiVersion = 'client.authentication.k8s.io/v1', provideClusterInfo } = exec;
  const cluster = provideClusterInfo === true ? { cluster: clusterIn(config) } : {};
  const told = { apiVersion, kind: 'ExecCredential', spec: { interactive: false, ...cluster } };
  const value = JSON.stringify(told);
  exec.env = [...(exec.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value }];
  return config;
}

/** As the library reads it, where a kubeconfig names a program to be run. */
type Plugin = {
  readonly apiVersion?: string;
  readonly provideClusterInfo?: boolean;
  env?: readonly { readonly name: string; readonly value: string }[] | null;
};

function clusterIn(config: KubeConfig) {
  const cluster = config.getCurrentCluster();
  return {
    server: cluster?.server,
    'tls-server-name': cluster?.tlsServerName,
    'insecure-skip-tls-verify': cluster?.skipTLSVerify,
    'certificate-authority-data': cluster?.caData,
    'proxy-url': cluster?.proxyUrl,
  };
}

function loaded(login: Named): KubeConfig {
  const config = configOf(login);
  config.addAuthenticator(tokenFileReader());
  if (login.kind === 'kubeconfig' && login.context !== undefined) {
    config.setCurrentContext(login.context);
  }
  return config;
}

function configOf(login: Named): KubeConfig {
  switch (login.kind) {
    case 'in-cluster':
      return inCluster(login);
    case 'kubeconfig-text':
      return configFromText(login.text);
    case 'kubeconfig':
      return configFromFiles(login.path);
  }
}

/** As the client's own `loadFromCluster`, which reads the environment. */
function inCluster({ host, port, directory = mounted }: Named & { readonly kind: 'in-cluster' }) {
  const config = new KubeConfig();
  const address = host.includes(':') ? `[${host}]` : host;
  config.loadFromClusterAndUser(
    {
      name: 'cluster',
      server: `https://${address}:${port}`,
      caFile: join(directory, 'ca.crt'),
      skipTLSVerify: false,
    },
    withTokenFile({ name: 'user' }, join(directory, 'token')),
  );
  return config;
}
