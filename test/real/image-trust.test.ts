import { afterAll } from 'vitest';
import { imageTrustContract } from '#test/contracts/end-to-end/image-trust.ts';
import { openPlace } from '#test/contracts/end-to-end/place.ts';
import { startKube } from './kube/start.ts';

// One of its own: the webhooks of two suites would be one configuration.
const kube = await startKube({ serviceAccounts: true });
const place = await openPlace(kube);
afterAll(async () => {
  place.close();
  await kube.stop();
});

imageTrustContract('a real kube-apiserver', place);
