import { afterAll } from 'vitest';
import { bootstrapContract } from '#test/contracts/end-to-end/bootstrap.ts';
import { lockedRegistry } from '#test/contracts/end-to-end/bootstrap-stage.ts';
import { openPlace } from '#test/contracts/end-to-end/place.ts';
import { startKube } from './kube/start.ts';

const registry = await lockedRegistry();
const kube = await startKube({
  serviceAccounts: true,
  apiserverArgs: [
    '--feature-gates=ClusterTrustBundle=true,ClusterTrustBundleProjection=true',
    '--runtime-config=certificates.k8s.io/v1beta1=true',
  ],
});
const place = await openPlace({ ...kube, resolveImage: registry.resolveImage });
afterAll(async () => {
  place.close();
  await Promise.all([kube.stop(), registry.close()]);
});

bootstrapContract('a real kube-apiserver', place, registry.name);
