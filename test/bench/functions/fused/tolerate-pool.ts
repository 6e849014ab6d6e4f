import { defineAdmission } from '#shared/define.ts';
import { type Decoded, list, optional, record, text } from '#shared/domain/decode.ts';
import { appendAt } from '#shared/domain/json-patch.ts';
import { allow, patch, type Verdict } from '#shared/domain/verdict.ts';

const toleration = record({ key: optional(text, '') });
const pod = record({ spec: record({ tolerations: optional(list(toleration)) }) });
const key = 'bench.gatehouse.io/pool';

export function toleratePool(object: Decoded<typeof pod>): Verdict {
  if (object.spec.tolerations?.some((each) => each.key === key)) return allow();
  return patch(
    appendAt(object, ['spec', 'tolerations'], { key, operator: 'Exists' }, 'the pool is tainted'),
  );
}

// biome-ignore lint/style/noDefaultExport: a function file
export default defineAdmission({
  name: 'tolerate-pool',
  capability: 'samples',
  phase: 'mutate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: pod,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
  handler: ({ object }) => toleratePool(object),
});
