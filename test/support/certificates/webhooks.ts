import { labels, manager } from '#shared/domain/installation.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { mutatingWebhooks } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';

export const ofMutating = { kind: mutatingWebhooks, name: 'gatehouse' };

/** As `gatehouse render` prints it: two entries, no bundle yet. */
export function mutatingConfiguration(
  stated: { readonly managed?: boolean; readonly clientConfig?: JsonObject } = {},
): KubeObject {
  const { managed = true, clientConfig = ofService } = stated;
  const entry = (name: string): JsonObject => ({
    name,
    clientConfig,
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    namespaceSelector: { matchLabels: { guarded: 'yes' } },
    failurePolicy: 'Ignore',
    sideEffects: 'NoneOnDryRun',
    admissionReviewVersions: ['v1'],
  });
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: {
      name: 'gatehouse',
      labels: managed ? { [labels.managedBy]: manager } : {},
    },
    webhooks: [entry('pods.mutate.gatehouse.io'), entry('follow.mutate.gatehouse.io')],
  };
}

const ofService: JsonObject = {
  service: {
    name: 'gatehouse-webhook',
    namespace: 'gatehouse-system',
    path: '/mutate/pods',
    port: 443,
  },
};

/** As they stand there, base64; empty where there is none. */
export function bundlesOf({ webhooks }: KubeObject): readonly string[] {
  return (webhooks as readonly JsonObject[]).map(({ clientConfig }) => {
    const stated = isJsonObject(clientConfig) ? clientConfig['caBundle'] : undefined;
    return typeof stated === 'string' ? stated : '';
  });
}
