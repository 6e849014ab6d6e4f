import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import {
  credentialsIn,
  replicaManager,
  replicaOf,
} from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
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
  through(names: readonly string[], lanes: number): Promise<Passed>;
  close(): void;
};

/** What its calls took, each from its question to its answer. */
export type Passed = { readonly calls: number; readonly meanMillisACall: number };

/** As many as work at once, and nothing but the calls that a namespace needs: no events, no queue. The source is read once. */
export async function openBareLoop(kubeconfig: string): Promise<BareLoop> {
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kubeconfig } });
  let seen = '';
  const changed = async (): Promise<KubeObject> => {
    const source = await cluster.find(targetIn(home));
    if (source !== undefined && versionOf(source) !== seen) return source;
    return changed();
  };
  return {
    async through(names, lanes) {
      const source = await changed();
      const [waiting, took]: [string[], number[]] = [[...names], []];
      const lane = laneOn(cluster, { source, waiting, took });
      await Promise.all(Array.from({ length: lanes }, lane));
      seen = versionOf(source);
      const sum = took.reduce((total, ms) => total + ms, 0);
      return { calls: took.length, meanMillisACall: sum / took.length };
    },
    close: () => cluster.close(),
  };
}

type Work = {
  readonly source: KubeObject;
  readonly waiting: string[];
  readonly took: number[];
};

/** What is there decides whether anything is written; both calls are needed, one after the other. */
function laneOn(cluster: OpenCluster, { source, waiting, took }: Work) {
  const timed = async <T>(call: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const answer = await call();
    took.push(performance.now() - began);
    return answer;
  };
  return async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const target = targetIn(name);
      const present = await timed(() => cluster.find(target));
      if (present !== undefined && credentialsIn(present) === credentialsIn(source)) continue;
      const replica = replicaOf(source, name);
      const options = { fieldManager: replicaManager, force: true };
      await timed(() => cluster.apply(target, replica, options));
    }
  };
}

function versionOf({ metadata }: KubeObject): string {
  return metadata.resourceVersion ?? '';
}

function targetIn(namespace: string) {
  return { kind: secrets, namespace, name: secretName };
}
