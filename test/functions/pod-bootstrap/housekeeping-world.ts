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
import { desiredPods } from '#shared/domain/pod-bootstrap/housekeeping/desired-pods.ts';
import { housedPod, type Owner } from '#shared/domain/pod-bootstrap/housekeeping/housed-pod.ts';
import { provenance } from '#shared/domain/pod-bootstrap/provenance.ts';
import { mutatingConfiguration } from '#test/support/certificates/webhooks.ts';

const fips = 'rt-cfg.kyma-project.io/set-fips-mode';

/** FIPS alone: what a pod needs is then short. */
export const config = {
  podBootstrap: {
    document: { availableFeatures: [fips] },
    restart: { grace: '0s', perMinute: 6_000, bundleSettle: '0s', configurationSettle: '0s' },
  },
};

const env = ['KYMA_FIPS_MODE_ENABLED', 'FIPS_MODE_ENABLED'].map((name) => ({
  name,
  value: 'true',
}));

const replicaSets = { ...pods, group: 'apps', kind: 'ReplicaSet', resource: 'replicasets' };

/** The webhook as it is registered, and a replica that serves for as long as the world lasts. */
export const surroundings: readonly Stated[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } },
  mutatingConfiguration({ clientConfig: { url: 'https://localhost:1', caBundle: 'Q0E=' } }),
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'one', namespace: 'gatehouse-system', labels: { [labels.replica]: 'all' } },
    spec: { renewTime: '2099-01-01T00:00:00.000000Z', leaseDurationSeconds: 60 },
  },
];

type Named = { readonly kind?: string; readonly namespace?: string };

export function ownerNamed(
  name: string,
  { kind = 'ReplicaSet', namespace = 'team-a' }: Named = {},
) {
  const metadata = { name, namespace };
  return { apiVersion: 'apps/v1', kind, metadata, spec: { replicas: 1 } };
}

/** Says nothing of how many pods it wants. */
export const replicaSet = { ...ownerNamed('web'), spec: {} };

type Making = {
  /** With what the webhook does. */
  readonly isModified: boolean;
  /** By another configuration than the world's. */
  readonly configuration?: string;
  /** Of what it was given it has all, unless it is said otherwise; its marks say that it has all. */
  readonly has?: 'a part' | 'nothing';
  readonly owner?: ReturnType<typeof ownerNamed>;
  readonly labels?: Readonly<Record<string, string>>;
  /** The feature that it does not want. */
  readonly optsOutOf?: string;
  /** What it says its owner's uid is, where that is not so. */
  readonly uid?: string;
};

/** Of an owner, as its controller makes it. */
export async function makePod(world: World, name: string, making: Making): Promise<void> {
  const { owner = replicaSet, labels = { app: owner.metadata.name }, ...made } = making;
  const { name: of, namespace } = owner.metadata;
  const found = await world.find(`${owner.kind} ${namespace}/${of}`);
  const { uid = found?.metadata.uid ?? '' } = making;
  const by = { apiVersion: 'apps/v1', kind: owner.kind, name: of, uid };
  await world.apply(podOf({ ...made, name, namespace, labels, by }) as Stated);
}

type Given = Pick<Making, 'isModified' | 'configuration' | 'has' | 'optsOutOf'> & {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly by: Owner;
};

function podOf({ name, namespace, labels, by, isModified, ...made }: Given): KubeObject {
  const given = made.has === 'nothing' ? [] : env.slice(made.has === 'a part' ? 1 : 0);
  const has = isModified ? { env: given } : {};
  const own = made.optsOutOf === undefined ? {} : { annotations: { [made.optsOutOf]: 'false' } };
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels, ...own, ownerReferences: [{ ...by, controller: true }] },
    spec: { containers: [{ name: 'web', image: 'web:1', ...has }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
  const { podBootstrap } = settingsFixed(config).current();
  const { hash } = configurationOf(podBootstrap.document, podBootstrap);
  const configurationHash = made.configuration ?? hash;
  const features = ['set-fips-mode'] as const;
  const deeds = { features, configurationHash, bundleHash: undefined, isChanged: true };
  return isModified ? (applyPatch(pod, provenance({}, deeds).changes) as KubeObject) : pod;
}

/**
 * Stands for the controller and the webhook: for each pod that goes one comes, by a name that is told from it, while its
 * owner has fewer than it wants.
 */
export const replacePod = defineReconcile({
  name: 'replace-pod',
  capability: 'samples',
  trigger: { watch: { of: pods, on: ['deleted'] } },
  uses: ['cluster', 'mirror'],
  access: [
    { kind: pods, verbs: ['create', 'list'] },
    { kind: replicaSets, verbs: ['get'] },
  ],
  deadlineMs: 5_000,
  async handler(wake, { cluster, mirror }) {
    if (wake.kind === 'period' || !wake.deleted) return done;
    const { object } = await mirror.findByUid(pods, wake.uid);
    const by = housedPod(object)?.owner;
    if (by === undefined) return done;
    const { namespace = '' } = wake;
    const at = { kind: replicaSets, namespace, name: by.name };
    const wanted = desiredPods(await cluster.find(at)) ?? 0;
    let living = 0;
    for await (const each of cluster.list(pods, { namespace }))
      if (housedPod(each)?.owner?.uid === by.uid) living += 1;
    if (living >= wanted) return done;
    const made = { namespace, labels: { app: 'web' }, by, isModified: true };
    await cluster.create(pods, podOf({ ...made, name: `new-${wake.name}` }));
    return done;
  },
});
