import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import checkNamespaceTrust from '#functions/image-trust/check-namespace-trust.ts';
import followNamespace from '#functions/image-trust/follow-namespace.ts';
import recheckPod from '#functions/image-trust/recheck-pod.ts';
import requireTrustedImages from '#functions/image-trust/require-trusted-images.ts';
import requireUserImages from '#functions/image-trust/require-user-images.ts';
import verifyPod from '#functions/image-trust/verify-pod.ts';
import bootstrapPod from '#functions/pod-bootstrap/bootstrap-pod.ts';
import { webhookManifests } from '#infra/deploy/webhooks.ts';
import { kubeconfigFor } from '#infra/emulator/cluster/serving/kubeconfig.ts';
import { serviceAccounts } from '#infra/emulator/controllers/shapes/kinds.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { registered } from '#infra/emulator/world/registered.ts';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import type { Definition } from '#shared/define.ts';
import { apiVersion, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { Cluster } from '#shared/ports.ts';
import { compileCondition } from '#shared/runtime/admission/match-condition.ts';
import { builtInDefinitions } from '#test/infra/deploy/built-in.ts';
import { planOf } from '#test/infra/deploy/samples.ts';
import { bundlesOf } from '#test/support/certificates/webhooks.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { serveInside } from '#test/support/serving.ts';
import { targetOf } from './installing.ts';
import type { Place } from './place.ts';

const ours: readonly Definition[] = [
  ...[bootstrapPod, verifyPod, requireTrustedImages, requireUserImages, checkNamespaceTrust],
  ...[recheckPod, followNamespace],
];

export const patiently = { timeout: 40_000, interval: 100 };

/** All roles in this process, called by the webhooks that `render` makes of the definitions. */
export async function serveImageTrust(place: Place, stated: Partly<Settings>) {
  const { cluster } = place;
  const { url } = await freshDatabase();
  const certificates = (await builtInDefinitions()).filter(
    ({ capability }) => capability === 'certificates',
  );
  const definitions = [...ours, ...certificates];
  const serving = await serveInside({
    role: 'all',
    registry: registered(definitions),
    login: place.login,
    databaseUrl: url,
    settings: stated,
  });
  const settings = settingsFixed(stated).current();
  const manifests = webhookManifests(
    planOf({
      definitions,
      settings,
      caller: { kind: 'url', host: `localhost:${serving.port}` },
      compiles: (text) => compileCondition(text).ok,
    }),
  );
  for (const each of manifests) await cluster.create(targetOf(each).kind, each);
  await vi.waitFor(() => hasBundles(cluster, manifests), patiently);
  return {
    ...serving,
    manifests,
    async stop() {
      for (const each of manifests) await cluster.delete(targetOf(each));
      await serving.stop();
    },
  };
}

async function hasBundles(cluster: Cluster, manifests: readonly KubeObject[]): Promise<void> {
  for (const each of manifests) {
    const found = await cluster.find(targetOf(each));
    const bundles = found === undefined ? [''] : bundlesOf(found);
    if (bundles.some((bundle) => bundle.length < 10)) throw new Error('there is no bundle yet');
  }
}

/** Why the cluster does not take the pod; `undefined` where it does. */
export async function refusalOf(write: Promise<{ readonly kind: string }>) {
  try {
    const { kind } = await write;
    return kind === 'written' ? undefined : kind;
  } catch (cause: unknown) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

export async function podsIn(cluster: Cluster, namespace: string): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for await (const each of cluster.list(pods, { namespace })) found.push(each);
  return found;
}

/** Somebody who may do with pods what people may, and no more. */
export async function strangerIn(place: Place, namespace: string): Promise<OpenCluster> {
  const { cluster, installer, server } = place;
  const [account, of] = ['stranger', { group: 'rbac.authorization.k8s.io', version: 'v1' }];
  await cluster.create(serviceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: account, namespace },
  });
  const kind = { ...of, kind: 'RoleBinding', resource: 'rolebindings', namespaced: true };
  await cluster.create(kind, {
    apiVersion: apiVersion(kind),
    kind: kind.kind,
    metadata: { name: account, namespace },
    roleRef: { apiGroup: of.group, kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  });
  const token = await installer.token({ namespace, name: account });
  const folder = mkdtempSync(join(tmpdir(), 'stranger-'));
  const path = join(folder, 'kubeconfig');
  const given = { server: server.url, ca: server.ca, name: account, user: { token } };
  writeFileSync(path, kubeconfigFor(given), { mode: 0o600 });
  const opened = await openCluster({ login: { kind: 'kubeconfig', path } });
  return {
    ...opened,
    close() {
      opened.close();
      rmSync(folder, { recursive: true });
    },
  };
}
