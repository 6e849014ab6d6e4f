import { setTimeout as pause } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import healCaBundle from '#functions/certificates/heal-ca-bundle.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCertificates } from '#shared/adapters/certificates/x509.ts';
import { bundleOf, fromBase64, toBase64 } from '#shared/domain/certificates/pem.ts';
import { authoritiesOf, type Contents, contentsOf } from '#shared/domain/certificates/secret.ts';
import { certificatesSecret } from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { configMaps, leases, type mutatingWebhooks, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import {
  portsOf,
  type RealReplica,
  type ReplicaPorts,
} from '#test/support/certificates/real-replica.ts';
import {
  bundlesOf,
  mutatingConfiguration,
  ofMutating,
} from '#test/support/certificates/webhooks.ts';

export const patiently = { timeout: 60_000, interval: 50 };
export const soon = { timeout: 15_000, interval: 50 };

export type Lifetimes = {
  readonly caLifetime: string;
  readonly leafLifetime: string;
  readonly renewBefore: string;
  /** Longer than the API server takes to learn of another bundle. */
  readonly settle: string;
};

export type CertificateStage = ReturnType<typeof certificateStage>;

/** An installation's namespace, and the words for what is done and seen there. */
export function certificateStage(cluster: Cluster, namespace: string, lifetimes: Lifetimes) {
  const certificates = openCertificates();
  const conditions = conditionsRecorded();
  const settings = settingsFixed({
    installation: { namespace },
    certificates: { ...lifetimes, dnsNames: ['127.0.0.1'] },
  });
  const clock = { now: () => new Date() };
  const ports: ReplicaPorts = { clock, settings, cluster, certificates, conditions };
  const secretPlace = { kind: secrets, namespace, name: certificatesSecret };
  const configuration = () => theOne(cluster, ofMutating);
  const contents = async (): Promise<Contents> => contentsOf(await theOne(cluster, secretPlace));
  return {
    ...{ ports, conditions, configuration, contents, secretPlace },
    heal: () => healCaBundle.handler(wake, portsOf(healCaBundle, ports)),
    wanted: async () => authoritiesOf(contentsOf(await theOne(cluster, secretPlace))),
    /** As an installer that applies server-side, and forces nothing. */
    async install(replicas: readonly RealReplica[]): Promise<string> {
      const object = configurationFor(replicas, namespace);
      return (await cluster.apply(ofMutating, object, { fieldManager: 'installer' })).kind;
    },
    /** As an installer does it that applies its own manifest again. */
    wipe: () =>
      vi.waitFor(async () => {
        const object = withBundle(await configuration(), '') as KubeObject;
        expect((await cluster.replace(ofMutating, object)).kind).toBe('written');
      }, soon),
    async leases(): Promise<number> {
      let count = 0;
      for await (const _ of cluster.list(leases, { namespace })) count += 1;
      return count;
    },
    /** Just rotated, so that nothing rotates for the next seconds. */
    async steady(leftMs: { readonly ca: number; readonly leaf: number }): Promise<void> {
      const left = (certificate: string) =>
        (certificates.read(certificate)?.notAfter.getTime() ?? 0) - Date.now();
      await vi.waitFor(async () => {
        const { old, next, ca, leaf } = await contents();
        const hasTime = left(ca) > leftMs.ca && left(leaf) > leftMs.leaf;
        expect({ old, next, hasTime }).toEqual({ old: '', next: '', hasTime: true });
        expect(bundlesOf(await configuration()).map(spelled)).toEqual(
          [ca, ca].map((each) => bundleOf(each)),
        );
      }, patiently);
    },
    created: () => created(cluster, namespace),
    startLoad: () => startLoad(() => created(cluster, namespace)),
  };
}

export const wake = { kind: 'period', function: 'heal-ca-bundle' } as const;

export function spelled(bundle: string): string {
  return bundleOf(fromBase64(bundle));
}

/** What somebody has stated, without what the server adds. */
export function stated({ metadata, ...rest }: KubeObject): JsonObject {
  const { resourceVersion: _, generation: __, managedFields: ___, ...others } = metadata;
  return { ...rest, metadata: others };
}

export function withBundle(object: JsonObject, bundle: string): JsonObject {
  const webhooks = (object['webhooks'] as JsonObject[]).map((webhook) => {
    const { caBundle: _, ...clientConfig } = webhook['clientConfig'] as JsonObject;
    return {
      ...webhook,
      clientConfig: bundle === '' ? clientConfig : { ...clientConfig, caBundle: toBase64(bundle) },
    };
  });
  return { ...object, webhooks };
}

/** Each replica is asked at every create of a ConfigMap in the namespace. */
function configurationFor(replicas: readonly RealReplica[], namespace: string): KubeObject {
  const base = mutatingConfiguration();
  const entries = (base['webhooks'] as JsonObject[]).map((entry, index) => ({
    ...entry,
    clientConfig: { url: `https://127.0.0.1:${replicas[index]?.port}/` },
    rules: [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
    ],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    failurePolicy: 'Fail',
    sideEffects: 'None',
    timeoutSeconds: 5,
  }));
  return { ...base, webhooks: entries };
}

async function created(cluster: Cluster, namespace: string): Promise<string> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'asked' } };
  const write = await cluster
    .create(configMaps, object, { dryRun: true })
    .catch((cause: unknown) => ({ kind: String(cause) }));
  return write.kind;
}

export type Load = { count(): number; refused(): readonly string[]; stop(): Promise<void> };

/** Creates, one after the other, of which each is reviewed by both replicas. */
function startLoad(create: () => Promise<string>): Load {
  const stopped = new AbortController();
  const refused: string[] = [];
  let count = 0;
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const answer = await create();
      count += 1;
      if (answer !== 'written') refused.push(answer);
      await pause(10);
    }
  })();
  return {
    count: () => count,
    refused: () => refused,
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

async function theOne(
  cluster: Cluster,
  target: {
    readonly kind: typeof mutatingWebhooks;
    readonly namespace?: string;
    readonly name: string;
  },
): Promise<KubeObject> {
  const found = await cluster.find(target);
  if (found === undefined) throw new Error(`there is no ${target.name}`);
  return found;
}
