import { expect, vi } from 'vitest';
import { labels, manager, paths, webhookNames } from '#shared/domain/installation.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { mutatingWebhooks, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import { bundlesOf, ofMutating } from '#test/support/certificates/webhooks.ts';
import { podOf } from './place.ts';

export const soon = { timeout: 30_000, interval: 50 };

export type Registering = {
  readonly cluster: Cluster;
  readonly port: number;
  /** Of Gatehouse itself, whose pods nobody reviews. */
  readonly installation: string;
};

/** As `render` has it, but for the address: without kube-proxy no Service leads anywhere. */
export async function registerWebhook(registering: Registering): Promise<void> {
  const { cluster, port, installation } = registering;
  await cluster.create(mutatingWebhooks, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: manager, labels: { [labels.managedBy]: manager } },
    webhooks: [
      {
        name: webhookNames.fusedPods,
        clientConfig: { url: `https://localhost:${port}${paths.fusedPods}` },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['pods'],
          },
        ],
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
        // Fail, unlike the product's: what does not answer must fail these tests.
        failurePolicy: 'Fail',
        reinvocationPolicy: 'IfNeeded',
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [installation] },
          ],
        },
      },
    ],
  });
}

/** Until the API server knows the bundle too: a call tells. */
export async function answers(cluster: Cluster, namespace: string): Promise<void> {
  await vi.waitFor(async () => {
    const found = await cluster.find(ofMutating);
    expect(found && bundlesOf(found)[0]?.length).toBeGreaterThan(10);
    await tried(cluster, podOf(namespace, 'probe'));
  }, soon);
}

/** The pod as it would be. */
export async function tried(cluster: Cluster, pod: KubeObject): Promise<KubeObject> {
  const write = await cluster.create(pods, pod, { dryRun: true });
  if (write.kind === 'written') return write.object;
  throw new Error(`the pod was not created: ${JSON.stringify(write)}`);
}

export function affinityOf({ spec }: KubeObject): JsonObject | undefined {
  const affinity = isJsonObject(spec) ? spec['affinity'] : undefined;
  return isJsonObject(affinity) ? affinity : undefined;
}
