import { expect, vi } from 'vitest';
import followTrustBundle from '#functions/pod-bootstrap/follow-trust-bundle.ts';
import restartPod from '#functions/pod-bootstrap/restart-pod.ts';
import surveyPods from '#functions/pod-bootstrap/survey-pods.ts';
import {
  budgets,
  deployments,
  statefulSets,
  trustBundles,
} from '#infra/emulator/controllers/shapes/kinds.ts';
import { isReady, type Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { type Service, startService } from '#infra/emulator/world/real/serving.ts';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { openDatabase } from '#shared/adapters/database/open.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { pods } from '#shared/domain/kind.ts';
import { marks } from '#shared/domain/pod-bootstrap/provenance.ts';
import { sha256 } from '#shared/domain/pod-bootstrap/sha-256.ts';
import { ofMutating } from '#test/support/certificates/webhooks.ts';
import { type Started, startGatehouse } from '#test/support/gatehouse-process.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { namespaceIn, type Place, podOf } from './place.ts';
import { answers, registerWebhook, tried } from './webhook.ts';

export const patiently = { timeout: 180_000, interval: 100 };

export type HousekeepingStage = Awaited<ReturnType<typeof housekeepingStage>>;

const key = (feature: string) => `rt-cfg.kyma-project.io/${feature}`;
export const bundleName = 'housekeeping-corp';

/** Our processes around one cluster: the webhook, which can be away, and forwarder and worker on a database. */
export async function housekeepingStage(place: Place, perMinute: number) {
  const { cluster } = place;
  const [installation, team] = [await namespaceIn(place), await namespaceIn(place)];
  const other = await namespaceIn(place);
  const stated = {
    capabilities: ['pod-bootstrap', 'certificates'],
    server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
    installation: { namespace: installation },
    certificates: { dnsNames: ['localhost'], settle: place.settle },
    worker: { graceSeconds: 1 },
    podBootstrap: {
      document: {
        availableFeatures: [key('set-fips-mode'), key('add-cluster-trust-bundle')],
        clusterTrustBundle: { name: bundleName },
      },
      // A pass comes soon after whatever a busy machine was too late for.
      restart: {
        ...{ grace: '0s', perMinute, jitterPercent: 0, everySeconds: 20 },
        configurationSettle: '1s',
      },
    },
  };
  const settings = settingsFixed(stated);
  const { url } = await freshDatabase();
  const { sql, close } = openDatabase(url, { name: 'housekeeping' });
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const definitions = [restartPod, followTrustBundle, surveyPods];
  let service: Service | undefined;
  let gatehouse: Started | undefined;
  return {
    ...{ team, other, sql },
    /** The webhook is called from here on; the first time, the rest of us comes along. */
    async comes(hash: string) {
      gatehouse ??= await startGatehouse({ settings: stated, kubeconfig: place.kubeconfig });
      await registerWebhook({ cluster, port: gatehouse.port, installation });
      await answers(cluster, team);
      // Whoever is made before it has read the bundle is made anew once more.
      await vi.waitFor(async () => {
        const { metadata } = await tried(cluster, podOf(team, 'tried'));
        expect(metadata.annotations?.[marks.bundleHash]).toBe(hash);
      }, patiently);
      // Known for long: else nobody goes until all caches have learnt of it.
      await sql`
        insert into trust_bundles_seen (cluster, name, hash, since)
        values ('default', ${bundleName}, ${hash}, now() - interval '1 hour') on conflict do nothing`;
      const named = { login: place.login, databaseUrl: url, settings, log };
      service ??= await startService(definitions, named);
    },
    /** It is called, and does nothing: as if somebody had broken it. */
    async breaks() {
      gatehouse?.configure({ ...stated, podBootstrap: { document: { availableFeatures: [] } } });
      await vi.waitFor(async () => {
        const { metadata } = await tried(cluster, podOf(team, 'tried'));
        expect(metadata.annotations?.[marks.provenance]).toBeUndefined();
      }, patiently);
    },
    rotate: () => rotate(place),
    pods: () => place.kit.all<Pod>(pods, team),
    /** The pods that were to go, by the database. */
    intents: async () =>
      (await sql<{ pod: string }[]>`select pod from restart_intents`).map((each) => each.pod),
    /** Between the first and the last of these evictions, by the database. */
    evictedWithinMs: async (uids: readonly string[]) => {
      const [found] = await sql<{ ms: number }[]>`
        select (extract(epoch from max(evicted_at) - min(evicted_at)) * 1000)::float8 as ms
        from restart_intents where pod = any(${uids})`;
      return found?.ms ?? 0;
    },
    async close() {
      await service?.stop();
      await cluster.delete(ofMutating);
      await gatehouse?.stop();
      await close();
    },
  };
}

/** Another bundle under the same name: the hash that pods are to have. */
async function rotate({ cluster }: Place): Promise<string> {
  const [notBefore, notAfter] = [new Date(), new Date(Date.now() + 86_400_000)];
  const { certificate } = await openCertificates().issueCa({ notBefore, notAfter });
  const object = {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    metadata: { name: bundleName },
    spec: { trustBundle: certificate },
  };
  const target = { kind: trustBundles, name: bundleName };
  const options = { fieldManager: 'test', force: true };
  expect((await cluster.apply(target, object, options)).kind).toBe('written');
  return sha256(certificate);
}

export function bundleHashOf({ metadata }: Pod): string | undefined {
  return metadata.annotations?.[marks.bundleHash];
}

export function isModified({ metadata }: Pod): boolean {
  return metadata.annotations?.[marks.modified] === 'true';
}

/** Its next pod is made only when the one before is gone. */
export async function deployOne({ kit }: Place, namespace: string, name: string): Promise<void> {
  const labels = { app: name };
  await kit.make(statefulSets, namespace, name, {
    spec: {
      ...{ replicas: 1, serviceName: name, selector: { matchLabels: labels } },
      template: templateOf(labels),
    },
  });
}

function templateOf(labels: JsonObject, annotations: JsonObject = {}): JsonObject {
  const containers = [{ name: 'main', image: 'registry.test/app:1' }];
  return {
    metadata: { labels, annotations },
    spec: { terminationGracePeriodSeconds: 1, containers },
  };
}

export type Sized = { readonly owners: number; readonly replicas: number };

export function appsOf(owners: number): readonly string[] {
  return Array.from({ length: owners }, (_, at) => `app-${at}`);
}

/** Deployments with their budgets, all running. */
export async function deployAll(place: Place, namespace: string, { owners, replicas }: Sized) {
  await Promise.all(appsOf(owners).map((name) => deploy(place, namespace, { name, replicas })));
  return vi.waitFor(async () => {
    const running = (await place.kit.all<Pod>(pods, namespace)).filter(isReady);
    expect(running).toHaveLength(owners * replicas);
    return running;
  }, patiently);
}

export async function deploy(
  { kit }: Place,
  namespace: string,
  {
    name,
    replicas,
    annotations = {},
  }: { name: string; replicas: number; annotations?: JsonObject },
): Promise<void> {
  const labels = { app: name };
  await kit.make(budgets, namespace, name, {
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
  });
  await kit.make(deployments, namespace, name, {
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: templateOf(labels, annotations),
    },
  });
}

/** Looks on while others act: every pod that was ever there, and how few of each of these apps ever ran. */
export function onlooker(stage: Pick<HousekeepingStage, 'pods'>, apps: readonly string[]) {
  const seen = new Set<string>();
  const fewest = new Map(apps.map((app) => [app, Number.POSITIVE_INFINITY]));
  let isOver = false;
  const look = async () => {
    while (!isOver) {
      const now = await stage.pods();
      for (const { metadata } of now) seen.add(metadata.uid);
      const ready = Map.groupBy(
        now.filter(isReady),
        ({ metadata }) => metadata.labels?.['app'] ?? '',
      );
      for (const [app, count] of fewest) {
        // Of an app that does not run at all there is no group.
        fewest.set(app, Math.min(count, ready.get(app)?.length ?? 0));
      }
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  };
  // A test that has failed asks a server that is gone.
  const looking = look().catch(() => {});
  return {
    seen,
    fewest,
    async stop() {
      isOver = true;
      await looking;
      // The last to come may have come since.
      for (const { metadata } of await stage.pods()) seen.add(metadata.uid);
    },
  };
}
