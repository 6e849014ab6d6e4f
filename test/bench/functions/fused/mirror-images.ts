import { defineAdmission } from '#shared/define.ts';
import { type Decoded, list, optional, record, text } from '#shared/domain/decode.ts';
import { setAt } from '#shared/domain/json-patch.ts';
import { patch, type Verdict } from '#shared/domain/verdict.ts';

const container = record({ image: optional(text, '') });
const pod = record({ spec: record({ containers: optional(list(container), []) }) });

/** As pod-bootstrap does: images of one registry are pulled from its mirror. */
export function mirrorImages(object: Decoded<typeof pod>): Verdict {
  return patch(
    object.spec.containers.flatMap(({ image }, index) =>
      image.startsWith('registry.example.com/')
        ? setAt(
            object,
            ['spec', 'containers', index, 'image'],
            image.replace('registry.', 'mirror.'),
            'the mirror is nearer',
          )
        : [],
    ),
  );
}

// biome-ignore lint/style/noDefaultExport: a function file
export default defineAdmission({
  name: 'mirror-images',
  capability: 'samples',
  phase: 'mutate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: pod,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
  handler: ({ object }) => mirrorImages(object),
});
