import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { secrets } from '#shared/domain/kind.ts';
import { credentialsIn, replicaOf } from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
import { secretName } from '#test/support/pull-secret.ts';

/** The source's namespace: no replica is made there. */
export const home = 'home';

/** Those that come with a cluster get theirs as well. The first ones may be made to fail: who waits behind them must not notice. */
export function namesOf(count: number): readonly string[] {
  const own = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
  return [...Array.from({ length: count - own.length }, (_, at) => `team-${at}`), ...own];
}

export type BareLoop = {
  /** Once through all namespaces, as soon as the source has changed. */
  through(names: readonly string[], lanes: number): Promise<void>;
  close(): void;
};

/** What ours is measured against: the very same calls, by as many as work at once, and nothing else: no events, no queue. */
export async function openBareLoop(kubeconfig: string): Promise<BareLoop> {
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kubeconfig } });
  let seen = '';
  return {
    async through(names, lanes) {
      for (let version = seen; version === seen; ) version = await versionOf(cluster);
      const waiting = [...names];
      await Promise.all(Array.from({ length: lanes }, () => lane(cluster, waiting)));
      seen = await versionOf(cluster);
    },
    close: () => cluster.close(),
  };
}

async function lane(cluster: OpenCluster, waiting: string[]): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const [source, present] = await Promise.all([home, name].map((each) => find(cluster, each)));
    if (source === undefined) throw new Error('the source is not there');
    if (present !== undefined && credentialsIn(present) === credentialsIn(source)) continue;
    const options = { fieldManager: 'gatehouse-pull-secret', force: true };
    await cluster.apply(targetIn(name), replicaOf(source, name), options);
  }
}

async function versionOf(cluster: OpenCluster): Promise<string> {
  return (await find(cluster, home))?.metadata.resourceVersion ?? '';
}

function find(cluster: OpenCluster, namespace: string) {
  return cluster.find(targetIn(namespace));
}

function targetIn(namespace: string) {
  return { kind: secrets, namespace, name: secretName };
}
