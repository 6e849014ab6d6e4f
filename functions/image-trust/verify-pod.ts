import { defineAdmission } from '#shared/define.ts';
import { trustIn } from '#shared/domain/image-trust/asked-trust.ts';
import { inAnyMode } from '#shared/domain/image-trust/label-keys.ts';
import { restored } from '#shared/domain/image-trust/marks.ts';
import { type TrustRequest, trustRequestOf, unjudged } from '#shared/domain/image-trust/request.ts';
import { milliseconds } from '#shared/domain/image-trust/settings.ts';
import { imagesIn } from '#shared/domain/image-trust/slots.ts';
import { isStatusWriter, type UserInfo } from '#shared/domain/image-trust/status-writer.ts';
import { pullerOf, trustPod } from '#shared/domain/image-trust/trust-pod.ts';
import { verified } from '#shared/domain/image-trust/verify.ts';
import { weigh } from '#shared/domain/image-trust/weigh.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { allow, patch, type Verdict } from '#shared/domain/verdict.ts';

const deadlineMs = 4_000;
/** For the answer itself: who is late has not answered at all, and the pod would stay unmarked. */
const reserveMs = 500;

export default defineAdmission({
  name: 'verify-pod',
  capability: 'image-trust',
  summary: 'Verifies the images of pods, pins them to what was verified, and marks the pods.',
  phase: 'mutate',
  trigger: {
    resources: ['pods', 'pods/ephemeralcontainers'],
    operations: ['CREATE', 'UPDATE'],
    namespaceSelector: inAnyMode,
  },
  schema: trustPod,
  uses: ['settings', 'namespaces', 'images'],
  deadlineMs,
  onFailure: 'allow-with-warning',
  replaces: {
    configuration: 'defaulting.webhook.warden.kyma-project.io',
    webhook: 'defaulting.webhook.warden.kyma-project.io',
    service: 'warden-admission',
    path: '/defaulting/pods',
  },
  // Answers at once where no image comes: most updates of pods bring none.
  handler(review, { settings, namespaces, images }) {
    const current = settings.current();
    const { imageTrust } = current;
    const request = trustRequestOf(review);
    if (request === undefined) return unjudged(review);
    if (request.slots.length === 0) return keptMarks(request, review.user, current);

    const { namespace, dryRun: isDryRun, deadline } = review;
    const brought = imagesIn(request.slots);
    const pod = pullerOf(request.pod, namespace);
    return trustIn(namespaces, namespace, imageTrust).then(async (trust) => {
      if (trust.kind === 'off') return allow();
      const time = { signal: deadline, withinMs: timeFor(current) };
      const weighed = await weigh(brought, trust, (rules) =>
        images.judge(brought, { rules, pod, isDryRun, ...time }),
      );
      return verified(request, { ...weighed, digests: imageTrust.digests });
    });
  },
});

function keptMarks({ kind, pod, old }: TrustRequest, user: UserInfo, settings: Settings): Verdict {
  if (kind !== 'update' || old === undefined) return allow();
  const writers = {
    installation: settings.installation.namespace,
    named: settings.imageTrust.statusWriters,
  };
  return patch(restored(pod, old, isStatusWriter(user, writers)));
}

function timeFor({ imageTrust, server }: Settings): number {
  const ours = Math.min(deadlineMs, server.timeoutSeconds * 1_000) - reserveMs;
  return Math.min(milliseconds(imageTrust.admission.timeout) || ours, ours);
}
