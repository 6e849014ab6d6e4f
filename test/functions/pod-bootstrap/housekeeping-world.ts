import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Stated } from '#infra/emulator/world/manifest.ts';
import type { World } from '#infra/emulator/world/world.ts';
import { defineReconcile } from '#shared/define.ts';
import { labels } from '#shared/domain/installation.ts';
import { applyPatch } from '#shared/domain/json-patch.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import { housedPod } from '#shared/domain/pod-bootstrap/housekeeping/housed-pod.ts';
import { provenance } from '#shared/domain/pod-bootstrap/provenance.ts';
import { mutatingConfiguration } from '#test/support/certificates/webhooks.ts';

const fips = 'rt-cfg.kyma-project.io/set-fips-mode';

/** FIPS alone: what a pod needs is then short. */
export const config = {
  podBootstrap: {
    document: { availableFeatures: [fips] },
    restart: { grace: '0s', perMinute: 6_000 },
  },
};

const env = ['KYMA_FIPS_MODE_ENABLED', 'FIPS_MODE_ENABLED'].map((name) => ({
  name,
  value: 'true',
}));

/** The webhook as it is registered, and a replica that serves for as long as the world lasts. */
export const surroundings: readonly Stated[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } },
  mutatingConfiguration({ clientConfig: { url: 'https://localhost:1', caBundle: 'Q0E=' } }),
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'one', namespace: 'gatehouse-system', labels: { [labels.replica]: 'all' } },
    spec: { renewTime: '2030-01-01T00:00:00.000000Z', leaseDurationSeconds: 1_000_000_000 },
  },
];

export const replicaSet: Stated = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'team-a' },
};

/** Of the ReplicaSet, as its controller makes it; with what the webhook does, or without. */
export async function makePod(world: World, name: string, isModified: boolean): Promise<void> {
  const owner = await world.find('ReplicaSet team-a/web');
  await world.apply(podOf(name, owner?.metadata.uid, isModified) as Stated);
}

function podOf(name: string, uid = '', isModified: boolean): KubeObject {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid, controller: true };
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'team-a', labels: { app: 'web' }, ownerReferences: [owner] },
    spec: { containers: [{ name: 'web', image: 'web:1', ...(isModified ? { env } : {}) }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
  const { podBootstrap } = settingsFixed(config).current();
  const { hash: configurationHash } = configurationOf(podBootstrap.document, podBootstrap);
  const features = ['set-fips-mode'] as const;
  const deeds = { features, configurationHash, bundleHash: undefined, isChanged: true };
  return isModified ? (applyPatch(pod, provenance({}, deeds)) as KubeObject) : pod;
}

/** Stands for the controller and the webhook: for each pod that goes, one comes, by a name that is told from it. */
export const replacePod = defineReconcile({
  name: 'replace-pod',
  capability: 'samples',
  trigger: { watch: { of: pods, on: ['deleted'] } },
  uses: ['cluster', 'mirror'],
  access: [{ kind: pods, verbs: ['create'] }],
  deadlineMs: 5_000,
  async handler(wake, { cluster, mirror }) {
    if (wake.kind === 'period' || !wake.deleted) return done;
    const { object } = await mirror.findByUid(pods, wake.uid);
    const owner = housedPod(object)?.owner;
    await cluster.create(pods, podOf(`new-${wake.name}`, owner?.uid, true));
    return done;
  },
});
