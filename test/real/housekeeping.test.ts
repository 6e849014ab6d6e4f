import { afterAll } from 'vitest';
import { housekeepingContract } from '#test/contracts/end-to-end/housekeeping.ts';
import { openPlace } from '#test/contracts/end-to-end/place.ts';
import { startKube } from './kube/start.ts';

/** One of its own: nobody else's pods are to be restarted here. */
const kube = await startKube({
  serviceAccounts: true,
  apiserverArgs: [
    '--feature-gates=ClusterTrustBundle=true,ClusterTrustBundleProjection=true',
    '--runtime-config=certificates.k8s.io/v1beta1=true',
  ],
});
const nodes = ['three', 'four', 'five', 'six'].map((each) => `end-${each}`);
const place = await openPlace({ ...kube, nodes });
afterAll(async () => {
  place.close();
  await kube.stop();
});

/** 500 pods of 50 owners at five a second: the story's first two parts take 100 s each at least, and several times that on a busy machine. */
housekeepingContract('a real kube-apiserver', place, {
  ...{ owners: 50, replicas: 10, perMinute: 300, withinMs: 800_000 },
});
