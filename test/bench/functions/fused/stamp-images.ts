import { defineAdmission } from '#shared/define.ts';
import { type Decoded, dictionary, list, optional, record, text } from '#shared/domain/decode.ts';
import { setAt } from '#shared/domain/json-patch.ts';
import { patch, type Verdict } from '#shared/domain/verdict.ts';

const container = record({ image: optional(text, '') });
const pod = record({
  metadata: record({ annotations: optional(dictionary(text)) }),
  spec: record({ containers: optional(list(container), []) }),
});

/** As image trust does: writes down what it saw, as those before it left it. */
export function stampImages(object: Decoded<typeof pod>): Verdict {
  const images = object.spec.containers.map(({ image }) => image).join(',');
  return patch(
    setAt(object, ['metadata', 'annotations', 'bench.gatehouse.io/images'], images, 'seen'),
  );
}

// biome-ignore lint/style/noDefaultExport: a function file
export default defineAdmission({
  name: 'stamp-images',
  capability: 'samples',
  phase: 'mutate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: pod,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
  handler: ({ object }) => stampImages(object),
});
