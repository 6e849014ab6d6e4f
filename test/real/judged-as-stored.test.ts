import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { serviceAccounts } from '#infra/emulator/controllers/shapes/kinds.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { namespaces } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { featureKeys } from '#shared/domain/pod-bootstrap/feature.ts';
import { housedPod } from '#shared/domain/pod-bootstrap/housekeeping/housed-pod.ts';
import { judgePod } from '#shared/domain/pod-bootstrap/housekeeping/judge-pod.ts';
import { isOfSubstance } from '#shared/domain/pod-bootstrap/housekeeping/mark-reading.ts';
import { objectOf } from '#test/contracts/cluster/place.ts';
import { tried } from '#test/contracts/end-to-end/webhook.ts';
import {
  all,
  at,
  type Case,
  decided,
  stored,
  volume,
  wantedIn,
} from '#test/shared/domain/pod-bootstrap/bootstrapping.ts';
import { cases } from '#test/shared/domain/pod-bootstrap/random-bootstrap.ts';
import { validPods } from '#test/support/valid-pod.ts';
import { startKube } from './kube/start.ts';

const gates = ['ClusterTrustBundle', 'ClusterTrustBundleProjection', 'ImageVolume'];
const kube = await startKube({
  serviceAccounts: true,
  apiserverArgs: [
    `--feature-gates=${gates.map((gate) => `${gate}=true`).join()}`,
    '--runtime-config=certificates.k8s.io/v1beta1=true',
  ],
});
const cluster = await openCluster({ login: { kind: 'kubeconfig', path: kube.kubeconfig } });
afterAll(async () => {
  cluster.close();
  await kube.stop();
});

const namespace = 'team-a';

const words = fc.dictionary(
  fc.constantFrom(...featureKeys, all),
  fc.constantFrom('true', 'false', 'True'),
  { maxKeys: 3 },
);
const ownVolume = fc.constantFrom<JsonObject[]>(volume, {
  name: 'rt-bootstrapper-certs',
  emptyDir: {},
});
const pods = validPods(words, ownVolume);

/** A bundle that pods may start without is spelled otherwise. */
const given = fc.tuple(cases, fc.boolean()).map(([each, optional]): Case => {
  const clusterTrustBundle = { ...Object(at(each, 'document', 'clusterTrustBundle')), optional };
  return { ...each, document: { ...each.document, clusterTrustBundle } };
});

/** As it would be stored: defaulted, with what its ServiceAccount adds. */
async function asStored(pod: JsonObject): Promise<KubeObject> {
  const metadata = { ...Object(at(pod, 'metadata')), namespace };
  return tried(cluster, { apiVersion: 'v1', kind: 'Pod', ...pod, metadata });
}

function judged(pod: KubeObject, each: Case) {
  const housed = housedPod(pod);
  if (housed === undefined) throw new Error('a stored pod can be read');
  const { reasons, lacks, isOdd } = judgePod(housed, wantedIn(each));
  return { reasons, lacks, isOdd };
}

function changesTo(pod: JsonObject, each: Case) {
  const verdict = decided(pod, each);
  return verdict.kind === 'patch' ? verdict.changes : [];
}

const fine = { reasons: [], lacks: [], isOdd: false };

it('finds nothing to mend in a pod that an API server has stored as it was made', async () => {
  objectOf(
    await cluster.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    }),
  );
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace },
  };
  objectOf(
    await cluster.create(serviceAccounts, { ...account, imagePullSecrets: [{ name: 'own' }] }),
  );

  const seen = { missed: 0, bundles: 0, imageVolumes: 0 };
  const holds = fc.asyncProperty(pods, given, async (pod, each) => {
    const plain = await asStored(pod);
    // What a webhook is shown is defaulted already, and is defaulted again afterwards.
    for (const asked of [pod, plain]) {
      const made = await asStored(stored(asked, each));
      expect(judged(made, each)).toEqual(fine);
      // Were our volume taken for the pod's own, nothing would be lacking: but its marks would be others.
      expect(changesTo(made, each)).toEqual([]);
      const volumes = JSON.stringify(at(made, 'spec', 'volumes'));
      seen.bundles += Number(volumes.includes('clusterTrustBundle'));
      seen.imageVolumes += Number(volumes.includes('reference'));
    }
    // Who was not asked is told apart.
    const isMissed = changesTo(plain, each).some(isOfSubstance);
    expect(judged(plain, each).reasons.includes('missed')).toBe(isMissed);
    seen.missed += Number(isMissed);
  });
  await fc.assert(holds, { numRuns: 50 });
  // What stood in none of them would be proven by nothing.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(2);
});
