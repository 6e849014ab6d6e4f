import type { Pki } from './pki.ts';
import type { KubeFacts, KubeOptions } from './start.ts';

type EtcdPlace = {
  readonly directory: string;
  readonly port: number;
  readonly peerPort: number;
};

export function etcdFlags({ directory, port, peerPort }: EtcdPlace): readonly string[] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    '--name=default',
    `--data-dir=${directory}/etcd`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
  ];
}

type Apiserver = {
  readonly facts: KubeFacts;
  readonly pki: Pki;
  readonly port: number;
  readonly options: KubeOptions;
};

export function apiserverFlags({ facts, pki, port, options }: Apiserver): readonly string[] {
  return [
    `--etcd-servers=${facts.etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // Said in Endpoints, which take no loopback address; nobody goes there.
    '--advertise-address=192.0.2.1',
    `--tls-cert-file=${pki.path('apiserver.crt')}`,
    `--tls-private-key-file=${pki.path('apiserver.key')}`,
    `--client-ca-file=${pki.path('ca.crt')}`,
    `--token-auth-file=${pki.path('tokens.csv')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-signing-key-file=${pki.path('sa.key')}`,
    `--service-account-key-file=${pki.path('sa.pub')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    ...(options.controllerManager || options.serviceAccounts
      ? []
      : ['--disable-admission-plugins=ServiceAccount']),
    `--requestheader-client-ca-file=${pki.path('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${pki.path('front-proxy-client.crt')}`,
    `--proxy-client-key-file=${pki.path('front-proxy-client.key')}`,
    '--shutdown-delay-duration=0s',
    ...(options.apiserverArgs ?? []),
  ];
}

export function controllerManagerFlags(
  pki: Pki,
  kubeconfig: string,
  { controllerManagerArgs = [] }: KubeOptions = {},
): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${pki.path('sa.key')}`,
    `--root-ca-file=${pki.path('ca.crt')}`,
    '--use-service-account-credentials=true',
    `--cluster-signing-cert-file=${pki.path('ca.crt')}`,
    `--cluster-signing-key-file=${pki.path('ca.key')}`,
    '--leader-elect=false',
    '--secure-port=0',
    // With the default of 20 a second it takes five seconds to be of use.
    '--kube-api-qps=300',
    '--kube-api-burst=600',
    '--controllers=*,bootstrapsigner,tokencleaner',
    ...controllerManagerArgs,
  ];
}
