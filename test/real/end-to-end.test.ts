import { afterAll } from 'vitest';
import { certificatesContract } from '#test/contracts/end-to-end/certificates.ts';
import { installedContract } from '#test/contracts/end-to-end/installed.ts';
import { nodeAffinityContract } from '#test/contracts/end-to-end/node-affinity.ts';
import { ownedSecretContract } from '#test/contracts/end-to-end/owned-secret.ts';
import { openPlace } from '#test/contracts/end-to-end/place.ts';
import { pullSecretContract } from '#test/contracts/end-to-end/pull-secret.ts';
import { renderingContract } from '#test/contracts/end-to-end/rendering.ts';
import { rightsContract } from '#test/contracts/end-to-end/rights.ts';
import { startKube } from './kube/start.ts';

// One of its own: controllers would take up what other tests have left in the shared one.
const kube = await startKube({ serviceAccounts: true });
const place = await openPlace(kube);
afterAll(async () => {
  place.close();
  await kube.stop();
});

nodeAffinityContract('a real kube-apiserver', place);
installedContract('a real kube-apiserver', place);
renderingContract('a real kube-apiserver', place.login);
rightsContract('a real kube-apiserver', place);

certificatesContract('a real kube-apiserver', place, {
  lifetimes: { caLifetime: '40s', leafLifetime: '30s', renewBefore: '1h', settle: '2s' },
  upWithinMs: 5_000,
  rotating: { ca: 25_000, leaf: 16_000 },
});

ownedSecretContract('a real kube-apiserver', place);

// The last one: it leaves a thousand namespaces to be taken down.
pullSecretContract('a real kube-apiserver', place, { namespaces: 1_000, withinMs: 120_000 });
