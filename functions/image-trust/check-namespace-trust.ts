import { defineAdmission } from '#shared/define.ts';
import { dictionary, optional, record, text } from '#shared/domain/decode.ts';
import { modeLabel } from '#shared/domain/image-trust/label-keys.ts';
import { namespaceRemarks } from '#shared/domain/image-trust/namespace-remarks.ts';
import { allow } from '#shared/domain/verdict.ts';

const marks = optional(dictionary(text), {});
const namespace = record({
  metadata: record({ name: optional(text, ''), labels: marks, annotations: marks }),
});

/** Refuses nothing: an operator who has to take a label off must not be stopped by an annotation. */
export default defineAdmission({
  name: 'check-namespace-trust',
  capability: 'image-trust',
  summary:
    'Warns whoever writes a namespace whose annotations on image trust do not hold together.',
  phase: 'validate',
  trigger: {
    resources: ['namespaces'],
    operations: ['CREATE', 'UPDATE'],
    objectSelector: { matchExpressions: [{ key: modeLabel, operator: 'Exists' }] },
  },
  schema: namespace,
  uses: ['settings'],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
  handler({ object: { metadata } }, { settings }) {
    return allow(...namespaceRemarks(metadata, settings.current().imageTrust));
  },
});
