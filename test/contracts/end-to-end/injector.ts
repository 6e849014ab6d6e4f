import { toBase64 } from '#shared/domain/certificates/pem.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { mutatingWebhooks } from '#shared/domain/kind.ts';
import type { Cluster } from '#shared/ports.ts';
import { openHost } from '#test/support/registry/scripted-host.ts';
import { makeCa, makeLeaf } from '#test/support/tls.ts';

const name = 'zz-injector';

/** Somebody's mutating webhook, called after ours: it puts a sidecar of the image that the annotation names beside the rest. */
export async function openInjector(cluster: Cluster, annotation: string) {
  const ca = await makeCa();
  const host = await openHost(
    (_, response, { body }) => {
      const { request } = JSON.parse(body);
      const answer = { uid: request.uid, allowed: true, ...injected(request.object, annotation) };
      const review = {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: answer,
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review));
    },
    await makeLeaf(ca, 'localhost'),
  );
  await cluster.create(mutatingWebhooks, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.end-to-end.test`,
        clientConfig: {
          url: `https://localhost:${host.port}/`,
          caBundle: toBase64(ca.certificate),
        },
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
        ],
        objectSelector: { matchLabels: { inject: 'yes' } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
      },
    ],
  });
  return {
    async close() {
      await cluster.delete({ kind: mutatingWebhooks, name });
      await host.close();
    },
  };
}

/** Once, as injectors do. */
function injected({ metadata, spec }: JsonObject, annotation: string): JsonObject {
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  const image = isJsonObject(annotations) ? annotations[annotation] : undefined;
  if (typeof image !== 'string' || JSON.stringify(spec).includes('"injected"')) return {};
  const value = { name: 'injected', image };
  const patch = [{ op: 'add', path: '/spec/containers/-', value }];
  return { patchType: 'JSONPatch', patch: toBase64(JSON.stringify(patch)) };
}
