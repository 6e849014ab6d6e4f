import { defineAdmission } from '#shared/define.ts';
import { type Decoded, list, optional, record, text } from '#shared/domain/decode.ts';
import { appendAt } from '#shared/domain/json-patch.ts';
import { allow, patch, type Verdict } from '#shared/domain/verdict.ts';

const secret = record({ name: optional(text, '') });
const pod = record({ spec: record({ imagePullSecrets: optional(list(secret)) }) });
const name = 'registry-credentials';

export function addPullSecret(object: Decoded<typeof pod>): Verdict {
  if (object.spec.imagePullSecrets?.some((each) => each.name === name)) return allow();
  return patch(appendAt(object, ['spec', 'imagePullSecrets'], { name }, 'the mirror asks for it'));
}

// biome-ignore lint/style/noDefaultExport: a function file
export default defineAdmission({
  name: 'add-pull-secret',
  capability: 'samples',
  phase: 'mutate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: pod,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'allow-with-warning',
  handler: ({ object }) => addPullSecret(object),
});
