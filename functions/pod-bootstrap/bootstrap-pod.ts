import { defineAdmission } from '#shared/define.ts';
import { bootstrapPod } from '#shared/domain/pod-bootstrap/bootstrap.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
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
  uses: ['settings', 'namespaces'],
  deadlineMs: 2_000,
  onFailure: 'allow-with-warning',
  replaces: {
    configuration: 'rt-bootstrapper-mutating-webhook-configuration',
    webhook: 'mpod-v1.kb.io',
    service: 'rt-bootstrapper-webhook-service',
    path: '/mutate--v1-pod',
  },
  // Answers at once where there is nothing to do: most updates of pods bring no image.
  handler(review, { settings, namespaces }) {
    const { podBootstrap, installation } = settings.current();
    const { object: pod, namespace: name } = review;
    const document = documentIn(podBootstrap);
    const request = requestOf(review);
    if (document === undefined || request === undefined) return allow();
    if (isOwnPod(pod, name, installation)) return allow();
    if (request.kind !== 'create' && imagesBrought(pod, request).length === 0) return allow();

    const configuration = configurationOf(document, podBootstrap);
    const trustBundle = { kind: 'unknown' } as const;
    // A pod may come sooner than what we are told of its namespace.
    return namespaces
      .find(name)
      .then((known) => known ?? namespaces.findLive(name))
      .then((found) => {
        const namespace = { name, annotations: found?.annotations ?? {} };
        return bootstrapPod(pod, configuration, { request, namespace, trustBundle });
      });
  },
});
