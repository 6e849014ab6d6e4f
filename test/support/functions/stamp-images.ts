import { defineAdmission } from '#shared/define.ts';
import {
  anything,
  type Decoded,
  dictionary,
  list,
  optional,
  record,
  text,
} from '#shared/domain/decode.ts';
import { setAt } from '#shared/domain/json-patch.ts';
import { patch, type Verdict } from '#shared/domain/verdict.ts';

const pod = record({
  metadata: optional(record({ annotations: optional(dictionary(text)) })),
  spec: record({ containers: optional(list(record({ image: anything })), []) }),
});

export const stamp = 'sample.gatehouse.io/images';

/** Stands in for image-trust: writes what it saw, as the function before it left it. */
export function stampImages(object: Decoded<typeof pod>): Verdict {
  const images = object.spec.containers.map(({ image }) => String(image ?? '')).join(',');
  return patch(
    setAt(object, ['metadata', 'annotations', stamp], images, 'the images that were seen'),
  );
}

export default defineAdmission({
  name: 'stamp-images',
  capability: 'image-trust',
  phase: 'mutate',
  trigger: {
    resources: ['pods', 'pods/ephemeralcontainers'],
    operations: ['CREATE', 'UPDATE'],
    namespaceSelector: {
      setting: 'custom.stampImages',
      fallback: { matchLabels: { stamped: 'yes' } },
    },
  },
  schema: pod,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
  handler: ({ object }) => stampImages(object),
});
