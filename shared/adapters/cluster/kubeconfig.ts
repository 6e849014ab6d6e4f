import type { RequestOptions } from 'node:https';
import { delimiter, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import type { Asking, Login } from './login.ts';

type Named = Exclude<Login, { readonly kind: 'direct' }>;

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';

/** By the library, which knows all that a kubeconfig may say. */
export function askingWith(login: Named): Asking {
  const load = () => loaded(new KubeConfig(), login);
  let config = load();
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig names no current cluster');
  return {
    server: cluster.server,
    isProxied: Boolean(cluster.proxyUrl),
    async options() {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      return options;
    },
    renew() {
      config = load();
    },
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
