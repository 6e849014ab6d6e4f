import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import type { ControllerName } from '#infra/emulator/controllers/frame/controller.ts';
import { openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import type { Stage } from '#test/contracts/kube-api/asking.ts';
import { openCaller } from '#test/contracts/kube-api/calling.ts';
import { type Loopback, openLoopback } from '#test/contracts/kube-api/loopback.ts';
import type { Place } from '#test/contracts/kube-api/place.ts';
import { logRecorded } from '#test/support/running.ts';
import { startKube } from '../kube/start.ts';
import { withNodes } from './nodes.ts';

export type Both = { readonly ours: Stage; readonly theirs: Stage };

/** All controllers but scheduler and kubelet, which the real one has neither. */
const managers: readonly ControllerName[] = [
  ...(['accounts', 'account-tokens', 'cluster-roles', 'garbage', 'namespaces'] as const),
  ...(['deployments', 'replica-sets', 'replication-controllers', 'stateful-sets'] as const),
  ...(['daemon-sets', 'jobs', 'cron-jobs', 'disruption', 'taint-evictions'] as const),
  ...(['endpoints', 'endpoint-mirror', 'volume-protection'] as const),
];

/** The emulated cluster and a real one, each with its controllers and with two nodes. */
export async function openBoth(): Promise<Both & { close(): Promise<void> }> {
  const kube = await startKube({
    controllerManager: true,
    // Nobody renews the nodes.
    controllerManagerArgs: ['--node-monitor-grace-period=1h'],
  });
  const cluster = await emulatedCluster();
  const login = { kind: 'kubeconfig-text', text: cluster.kubeconfig } as const;
  const controllers = await openControllers({ login, log: logRecorded(), only: managers });
  const loopback = await openLoopback();
  const { users } = JSON.parse(cluster.tokenKubeconfig);
  const ours = stageAt({ ...cluster, token: users[0].user.token }, loopback);
  const theirs = stageAt(kube, loopback);
  await Promise.all([ours, theirs].map(withNodes));
  return {
    ...{ ours, theirs },
    async close() {
      for (const { caller } of [ours, theirs]) caller.close();
      await loopback.close();
      controllers.close();
      await cluster.close();
      await kube.stop();
    },
  };
}

function stageAt({ url, ca, token }: Omit<Place, 'patienceMs'>, loopback: Loopback): Stage {
  const place = { url, ca, token, patienceMs: 15_000 };
  return { place, caller: openCaller(place), loopback, isControlled: true };
}
