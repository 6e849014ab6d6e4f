import { defineAdmission } from '#shared/define.ts';
import { bringsImage } from '#shared/domain/image-trust/brings-image.ts';
import { inUserMode } from '#shared/domain/image-trust/label-keys.ts';
import { lastWord } from '#shared/domain/image-trust/last-word.ts';
import { trustPod } from '#shared/domain/image-trust/trust-pod.ts';

/** Looks at the pod as it would be stored, whoever has changed it after us: from what is known, and by asking where nothing is. */
export default defineAdmission({
  name: 'require-user-images',
  capability: 'image-trust',
  summary:
    'Refuses pods with images that nobody trusted has signed, where the namespace says who is.',
  phase: 'validate',
  trigger: {
    resources: ['pods', 'pods/ephemeralcontainers', 'pods/resize'],
    operations: ['CREATE', 'UPDATE'],
    namespaceSelector: inUserMode,
    matchConditions: bringsImage,
  },
  schema: trustPod,
  uses: ['settings', 'namespaces', 'images'],
  deadlineMs: 2_000,
  onFailure: { setting: 'imageTrust.userOnFailure', fallback: 'deny' },
  replaces: {
    configuration: 'validation.webhook.warden.kyma-project.io',
    webhook: 'user.validation.webhook.warden.kyma-project.io',
    service: 'warden-admission',
    path: '/validation/pods',
  },
  handler(review, ports) {
    const { userOnFailure: unpinned } = ports.settings.current().imageTrust;
    return lastWord(review, ports, { mode: 'user', unpinned });
  },
});
