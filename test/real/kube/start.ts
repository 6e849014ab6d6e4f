import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtKube } from './build.ts';
import { apiserverFlags, controllerManagerFlags, etcdFlags } from './flags.ts';
import { issuePki, type Pki } from './pki.ts';
import { freePort, type Running, run } from './program.ts';

/** Plain data, so that it can be handed to a test's own process. */
export type KubeFacts = {
  readonly url: string;
  /** A kubeconfig with a client certificate of `system:masters`. */
  readonly kubeconfig: string;
  /** The same rights by bearer token. */
  readonly kubeconfigToken: string;
  readonly token: string;
  /** PEM */
  readonly ca: string;
  readonly kubectl: string;
  readonly etcdUrl: string;
  readonly directory: string;
};

export type Kube = KubeFacts & {
  /** Killed, and started again on what etcd has. */
  restartApiserver(): Promise<void>;
  stop(): Promise<void>;
};

export type KubeOptions = {
  /** Makes default ServiceAccounts, Deployments' pods, ends namespaces; costs 100 MB. */
  readonly controllerManager?: boolean;
  /** Admits pods by their ServiceAccounts. Off where nobody makes a default one: no pod would come in. */
  readonly serviceAccounts?: boolean;
  /** The last one of a repeated flag wins. */
  readonly apiserverArgs?: readonly string[];
  readonly controllerManagerArgs?: readonly string[];
};

/** etcd and kube-apiserver on loopback, for throw-away data. */
export async function startKube(options: KubeOptions = {}): Promise<Kube> {
  const programs = builtKube();
  const directory = mkdtempSync(join(tmpdir(), 'kube-'));
  const pki = issuePki(join(directory, 'pki'));
  const running: Running[] = [];
  const start = (program: string, args: readonly string[]) => {
    const log = join(directory, `${program}.log`);
    const started = run(join(programs, program), args, log);
    running.unshift(started);
    return started;
  };
  const stop = async () => {
    for (const program of running) await program.kill();
    rmSync(directory, { recursive: true, force: true });
  };

  try {
    const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    const facts = factsOf({ directory, programs, pki, port, etcdPort });
    const etcd = start('etcd', etcdFlags({ directory, port: etcdPort, peerPort }));
    await etcd.until('a healthy etcd', () => isHealthy(facts.etcdUrl));

    const startApiserver = async () => {
      const apiserver = start('kube-apiserver', apiserverFlags({ facts, pki, port, options }));
      await apiserver.until('a ready kube-apiserver', () => answers(facts, '/readyz'));
      return apiserver;
    };
    let apiserver = await startApiserver();
    const restartApiserver = async () => {
      await apiserver.kill();
      apiserver = await startApiserver();
    };
    if (options.controllerManager === true) {
      const flags = controllerManagerFlags(pki, join(directory, 'kubeconfig-kcm'), options);
      const manager = start('kube-controller-manager', flags);
      const account = '/api/v1/namespaces/default/serviceaccounts/default';
      await manager.until('the default ServiceAccount', () => answers(facts, account));
    }
    return { ...facts, restartApiserver, stop };
  } catch (cause: unknown) {
    await stop();
    throw cause;
  }
}

type Made = {
  readonly directory: string;
  readonly programs: string;
  readonly pki: Pki;
  readonly port: number;
  readonly etcdPort: number;
};

function factsOf({ directory, programs, pki, port, etcdPort }: Made): KubeFacts {
  const url = `https://127.0.0.1:${port}`;
  const write = (name: string, user: object) =>
    kubeconfig(join(directory, name), { url, pki, user });
  write('kubeconfig-kcm', certificateOf(pki, 'kcm'));
  return {
    url,
    kubeconfig: write('kubeconfig', certificateOf(pki, 'admin')),
    kubeconfigToken: write('kubeconfig-token', { token: pki.token }),
    token: pki.token,
    ca: pki.read('ca.crt'),
    kubectl: join(programs, 'kubectl'),
    etcdUrl: `http://127.0.0.1:${etcdPort}`,
    directory,
  };
}

/** JSON is YAML. */
function kubeconfig(
  path: string,
  { url, pki, user }: { readonly url: string; readonly pki: Pki; readonly user: object },
): string {
  const cluster = { server: url, 'certificate-authority-data': base64(pki.read('ca.crt')) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'kube', cluster }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'kube', context: { cluster: 'kube', user: 'user' } }],
    'current-context': 'kube',
  };
  writeFileSync(path, JSON.stringify(config, null, 2), { mode: 0o600 });
  return path;
}

function certificateOf(pki: Pki, name: string): object {
  return {
    'client-certificate-data': base64(pki.read(`${name}.crt`)),
    'client-key-data': base64(pki.read(`${name}.key`)),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

async function isHealthy(etcdUrl: string): Promise<boolean> {
  const answer = await fetch(`${etcdUrl}/health`).then(
    (response) => response.text(),
    () => '',
  );
  return answer.includes('"true"');
}

function answers({ url, ca, token }: KubeFacts, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(`${url}${path}`, { ca, headers, timeout: 2_000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
}
