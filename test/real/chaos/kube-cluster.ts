import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { openWay, type Way } from '#test/bench/chaos/way.ts';
import type { Standing } from '#test/bench/chaos/world.ts';
import { startKube } from '../kube/start.ts';
import { compact, openEtcdLedger, revisionOf } from './etcd-ledger.ts';
import { queuedWrites } from './queued-writes.ts';

export type KubeCluster = Standing & {
  /** Between our processes and the API server. */
  readonly way: Way;
  restart(): Promise<void>;
  /** Of etcd's whole past; the API server still remembers some of it, until it restarts. */
  compact(): Promise<void>;
};

/** A kube-apiserver whose etcd tells what happened. */
export async function kubeCluster(): Promise<KubeCluster> {
  const kube = await startKube({ apiserverArgs: ['--storage-media-type=application/json'] });
  const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kube.kubeconfigToken } });
  const ledger = await openEtcdLedger(kube.etcdUrl);
  const way = await openWay(Number(new URL(kube.url).port));
  const writes = queuedWrites(cluster);
  const heard = async () => {
    for (const revision = await revisionOf(kube.etcdUrl); ledger.upTo() < revision; ) {
      await pause(5);
    }
  };
  return {
    kubeconfig: readFileSync(kube.kubeconfigToken, 'utf8').replace(
      kube.url,
      `https://127.0.0.1:${way.port}`,
    ),
    objects: {
      ...writes,
      async written() {
        await writes.written();
        await heard();
      },
    },
    ledger,
    way,
    restart: kube.restartApiserver,
    async compact() {
      await heard();
      await compact(kube.etcdUrl, ledger.upTo());
    },
    async close() {
      way.close();
      ledger.close();
      cluster.close();
      await kube.stop();
    },
  };
}
