import { defineAdmission } from '#shared/define.ts';
import { type Decoded, list, optional, record, text } from '#shared/domain/decode.ts';
import { appendAt } from '#shared/domain/json-patch.ts';
import { patch, type Verdict } from '#shared/domain/verdict.ts';

const container = record({ env: optional(list(record({ name: optional(text, '') }))) });
const pod = record({ spec: record({ containers: optional(list(container), []) }) });

/** Stands in for a user's own: one variable in each container, once. */
export function addLandscape(object: Decoded<typeof pod>): Verdict {
  return patch(
    object.spec.containers.flatMap(({ env = [] }, index) =>
      env.some(({ name }) => name === 'LANDSCAPE')
        ? []
        : appendAt(
            object,
            ['spec', 'containers', index, 'env'],
            { name: 'LANDSCAPE', value: 'test' },
            'the landscape was not said',
          ),
    ),
  );
}

export default defineAdmission({
  name: 'add-landscape',
  capability: 'samples',
  phase: 'mutate',
  trigger: {
    resources: ['pods'],
    operations: ['CREATE'],
    matchConditions: [
      {
        name: 'not-opted-out',
        expression: "!has(object.metadata.labels) || !('no-landscape' in object.metadata.labels)",
      },
    ],
  },
  schema: pod,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
  handler: ({ object }) => addLandscape(object),
});
