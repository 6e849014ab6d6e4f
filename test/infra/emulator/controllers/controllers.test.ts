import { afterAll } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { openLog } from '#shared/runtime/log.ts';
import { controllersContract } from './contract.ts';
import { stageNodes } from './kit.ts';
import { spokesmanAt } from './spokesman.ts';

const emulated = await emulatedCluster();
const login = { kind: 'kubeconfig-text', text: emulated.kubeconfig } as const;
const controllers = await openControllers({
  login: await spokesmanAt({ login, ...emulated }),
  log: openLog({ level: 'error' }),
  kubelet: {
    nodes: stageNodes,
    timings: { createMs: 2, jobMs: 5, backoffMs: 5, graceMs: 2 },
  },
});
const cluster = await openCluster({ login });
afterAll(async () => {
  cluster.close();
  controllers.close();
  await emulated.close();
});

controllersContract('the controllers on the emulated cluster', { cluster, controllers, login });
