import { afterAll, expect, it } from 'vitest';
import { type Controllers, openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { openLog } from '#shared/runtime/log.ts';
import { controllersContract } from '#test/infra/emulator/controllers/contract.ts';
import { stageNodes } from '#test/infra/emulator/controllers/kit.ts';
import { spokesmanAt } from '#test/infra/emulator/controllers/spokesman.ts';
import { startKube } from './kube/start.ts';

// One of its own: they would take up what other tests have left in the shared one.
const kube = await startKube();
const login = { kind: 'kubeconfig', path: kube.kubeconfig } as const;
const quietLog = openLog({ level: 'error' });
const controllers: Controllers = await openControllers({
  login: await spokesmanAt({ login, ...kube }),
  log: quietLog,
  kubelet: {
    nodes: stageNodes,
    timings: { createMs: 5, jobMs: 20, backoffMs: 20, graceMs: 20 },
  },
});
const cluster = await openCluster({ login });
afterAll(async () => {
  cluster.close();
  controllers.close();
  await kube.stop();
});

controllersContract('the controllers on a real kube-apiserver', { cluster, controllers, login });

it('give each namespace the authority of the server', async () => {
  const target = { kind: configMaps, namespace: 'default', name: 'kube-root-ca.crt' };
  const found = await cluster.find(target);
  expect(found?.['data']).toEqual({ 'ca.crt': kube.ca });
});
