import type { RequestOptions } from 'node:https';
import { delimiter, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import type { Asking, Login } from './login.ts';

type Named = Exclude<Login, { readonly kind: 'direct' }>;

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A plugin may start a Python and ask somebody far away; one that hangs must not be waited for by all who come later. */
const pluginMs = 60_000;

/** By the library, which knows all that a kubeconfig may say. */
export function askingWith(login: Named): Asking {
  const load = () => informed(loaded(new KubeConfig(), login));
  let config = load();
  let asked: Promise<RequestOptions> | undefined;
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig names no current cluster');
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

function loaded(config: KubeConfig, login: Named): KubeConfig {
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
function inCluster({ host, port, directory = mounted }: Named & { readonly kind: 'in-cluster' }) {
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
