import { defineAdmission } from '#shared/define.ts';
import {
  anything,
  dictionary,
  flag,
  maybe,
  optional,
  record,
  text,
} from '#shared/domain/decode.ts';
import { checkDocument } from '#shared/domain/pod-bootstrap/check-document.ts';
import { documentPlace } from '#shared/domain/pod-bootstrap/document-place.ts';
import { allow } from '#shared/domain/verdict.ts';

/** A deletion shows nothing but the old object. */
const configMap = record({
  metadata: optional(record({ name: optional(text, ''), ownerReferences: maybe(anything) }), {
    name: '',
    ownerReferences: undefined,
  }),
  data: optional(dictionary(text), {}),
  binaryData: optional(dictionary(text), {}),
  immutable: optional(flag, false),
});

export default defineAdmission({
  name: 'check-bootstrap-document',
  capability: 'pod-bootstrap',
  summary: 'Refuses a configuration of pods that cannot be read, or that a stranger writes.',
  phase: 'validate',
  trigger: {
    resources: ['configmaps'],
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    object: documentPlace,
  },
  schema: configMap,
  uses: ['settings'],
  deadlineMs: 2_000,
  onFailure: 'deny',
  handler({ object, old, operation, namespace, user }, { settings }) {
    const { configMap: place } = settings.current().podBootstrap;
    // Of a collection that is deleted, and of a name that the server makes, the request itself has none.
    const { name } = (operation === 'DELETE' ? old : object)?.metadata ?? {};
    if (namespace !== place.namespace || name !== place.name) return allow();
    return checkDocument({ operation, before: old, after: object, user }, place);
  },
});
