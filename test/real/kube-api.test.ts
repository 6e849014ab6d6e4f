import { afterAll } from 'vitest';
import type { Place } from '#test/contracts/kube-api/place.ts';
import { controlledContract, kubeApiContract } from '#test/contracts/kube-api.ts';
import { type Kube, type KubeOptions, startKube } from './kube/start.ts';

const started: Kube[] = [];
afterAll(async () => {
  for (const kube of started) await kube.stop();
});

/** Servers of their own: the cases leave webhooks and definitions behind. */
async function real(options: KubeOptions): Promise<Place> {
  const kube = await startKube(options);
  started.push(kube);
  return { ...kube, patienceMs: 30_000 };
}

kubeApiContract({ name: 'a real kube-apiserver', open: () => real({ serviceAccounts: true }) });
controlledContract({
  name: 'a real kube-apiserver with its controllers',
  open: () => real({ controllerManager: true }),
});
