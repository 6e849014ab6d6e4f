import { defineAdmission } from '#shared/define.ts';
import { type Decoded, list, optional, record, text } from '#shared/domain/decode.ts';
import { setAt } from '#shared/domain/json-patch.ts';
import { patch, type Verdict } from '#shared/domain/verdict.ts';

const container = record({ name: optional(text, ''), image: optional(text, '') });
const pod = record({
  spec: record({
    initContainers: optional(list(container), []),
    containers: optional(list(container), []),
  }),
});

/** Stands in for pod-bootstrap: images of one registry are pulled from its mirror. */
export function mirrorRegistry(object: Decoded<typeof pod>): Verdict {
  const lists = ['initContainers', 'containers'] as const;
  return patch(
    lists.flatMap((key) =>
      object.spec[key].flatMap(({ image }, index) =>
        image.startsWith('registry.test/')
          ? setAt(
              object,
              ['spec', key, index, 'image'],
              image.replace('registry.', 'mirror.'),
              'mirrored',
            )
          : [],
      ),
    ),
  );
}

export default defineAdmission({
  name: 'mirror-registry',
  capability: 'pod-bootstrap',
  phase: 'mutate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: pod,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
  handler: ({ object }) => mirrorRegistry(object),
});
