import { type BootstrapDocuments, defineAdmission, type Namespaces } from '#shared/define.ts';
import { bootstrapPod } from '#shared/domain/pod-bootstrap/bootstrap.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import type { BootstrapDocument } from '#shared/domain/pod-bootstrap/document.ts';
import { featureKey } from '#shared/domain/pod-bootstrap/feature.ts';
import { imagesBrought } from '#shared/domain/pod-bootstrap/images.ts';
import { bootPod } from '#shared/domain/pod-bootstrap/pod.ts';
import { isOwnPod, requestOf } from '#shared/domain/pod-bootstrap/request.ts';
import { documentIn } from '#shared/domain/pod-bootstrap/settings.ts';
import { allow } from '#shared/domain/verdict.ts';

export default defineAdmission({
  name: 'bootstrap-pod',
  capability: 'pod-bootstrap',
  summary: 'Gives pods the right registry, credentials, trust bundle and signals when they start.',
  phase: 'mutate',
  trigger: { resources: ['pods', 'pods/ephemeralcontainers'], operations: ['CREATE', 'UPDATE'] },
  schema: bootPod,
  uses: ['settings', 'namespaces', 'bootstrapDocument'],
  deadlineMs: 2_000,
  onFailure: 'allow-with-warning',
  isRepeatable: true,
  replaces: {
    configuration: 'rt-bootstrapper-mutating-webhook-configuration',
    webhook: 'mpod-v1.kb.io',
    service: 'rt-bootstrapper-webhook-service',
    path: '/mutate--v1-pod',
  },
  // Answers at once where there is nothing to do: most updates of pods bring no image.
  handler(review, { settings, namespaces, bootstrapDocument }) {
    const { podBootstrap, installation } = settings.current();
    const { object: pod, namespace: name } = review;
    const request = requestOf(review);
    if (request === undefined || isOwnPod(pod, name, installation)) return allow();
    if (request.kind !== 'create' && imagesBrought(pod, request).length === 0) return allow();

    return read({ namespaces, bootstrapDocument }, name, documentIn(podBootstrap)).then((known) => {
      if (known === undefined) return allow();
      if (known === 'unusable') return allow(unusable);
      const { document, trustBundle, annotations } = known;
      const configuration = configurationOf(document, podBootstrap);
      return bootstrapPod(pod, configuration, {
        request,
        namespace: { name, annotations },
        trustBundle,
      });
    });
  },
});

/** Its operators are told what is wrong with it; a user's pod has no say in that. */
const unusable =
  "the platform's configuration of pods cannot be used: the pod is left as it is, without registry, credentials and trust";

type Sources = {
  readonly namespaces: Namespaces;
  readonly bootstrapDocument: BootstrapDocuments;
};

/** A document in our own settings goes before the ConfigMap's. */
async function read(
  { namespaces, bootstrapDocument }: Sources,
  name: string,
  own: BootstrapDocument | undefined,
) {
  const document = own ?? (await bootstrapDocument.current());
  if (document === undefined && (await bootstrapDocument.problems()).length > 0) return 'unusable';
  if (document === undefined || document.availableFeatures.length === 0) return undefined;

  const [found, trustBundle] = await Promise.all([
    // A pod may come sooner than what we are told of its namespace.
    namespaces.find(name).then((known) => known ?? namespaces.findLive(name)),
    mayMount(document) ? bootstrapDocument.trustBundle(document.clusterTrustBundle.name) : unknown,
  ]);
  return { document, trustBundle, annotations: found?.annotations ?? {} };
}

const unknown = { kind: 'unknown' } as const;

function mayMount({ clusterTrustBundle, availableFeatures }: BootstrapDocument): boolean {
  return (
    clusterTrustBundle.name !== '' &&
    availableFeatures.includes(featureKey('add-cluster-trust-bundle'))
  );
}
