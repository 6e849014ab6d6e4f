import {
  certificatesSecret,
  labels,
  manager,
  paths,
  webhookConfigurations,
  webhookNames,
} from '#shared/domain/installation.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeApi } from './kube-api.ts';

export const namespace = 'gatehouse-system';
export const service = 'gatehouse-webhook';
const [configuration] = webhookConfigurations.mutating;
const webhooks = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

/** What the replicas find: their namespace, a managed one, a node of the pool, and the entry whose bundle they keep. */
export async function furnish(api: KubeApi): Promise<void> {
  await api.create('/api/v1/namespaces', object('Namespace', namespace, {}));
  const managed = { 'operator.kyma-project.io/managed-by': 'kyma' };
  await api.create('/api/v1/namespaces', object('Namespace', 'shop', managed));
  const pool = { 'worker.gardener.cloud/pool': 'cpu-worker-0' };
  await api.create('/api/v1/nodes', object('Node', 'cpu-worker-0-a', pool));
  await api.create(webhooks, {
    ...object('MutatingWebhookConfiguration', configuration, { [labels.managedBy]: manager }),
    apiVersion: 'admissionregistration.k8s.io/v1',
    webhooks: [entry],
  });
}

function object(kind: string, name: string, objectLabels: Record<string, string>): JsonObject {
  return { apiVersion: 'v1', kind, metadata: { name, labels: objectLabels } };
}

/** The bench calls it in the API server's place, which never has a pod to ask about. */
const entry: JsonObject = {
  name: webhookNames.fusedPods,
  clientConfig: { service: { namespace, name: service, path: paths.fusedPods } },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  failurePolicy: 'Ignore',
  matchPolicy: 'Equivalent',
  reinvocationPolicy: 'IfNeeded',
  sideEffects: 'NoneOnDryRun',
  timeoutSeconds: 5,
  admissionReviewVersions: ['v1', 'v1beta1'],
};

/** PEM; empty as long as there is none. */
export async function caBundle(api: KubeApi): Promise<string> {
  const found = await api.find(`${webhooks}/${configuration}`);
  const [first] = (found?.['webhooks'] ?? []) as readonly Webhook[];
  return fromBase64(first?.clientConfig?.caBundle);
}

type Webhook = { readonly clientConfig?: { readonly caBundle?: string } };

/** What is served, and the CA that signs: their changes are what is counted. */
export async function certificates(api: KubeApi): Promise<{ leaf: string; ca: string }> {
  const secret = await api.find(`/api/v1/namespaces/${namespace}/secrets/${certificatesSecret}`);
  const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
  return { leaf: fromBase64(data['tls.crt']), ca: fromBase64(data['ca.crt']) };
}

function fromBase64(text: string | undefined): string {
  return Buffer.from(text ?? '', 'base64').toString('utf8');
}
