import { defineAdmission } from '#shared/define.ts';
import { anything } from '#shared/domain/decode.ts';
import { allow } from '#shared/domain/verdict.ts';

/** Tells what an admission knows of its namespace. */
// biome-ignore lint/style/noDefaultExport: a function file
export default defineAdmission({
  name: 'tell-label',
  capability: 'label-change',
  phase: 'validate',
  trigger: { resources: ['configmaps'], operations: ['CREATE'] },
  schema: anything,
  uses: ['namespaces'],
  deadlineMs: 2_000,
  onFailure: 'deny',
  async handler({ namespace }, { namespaces }) {
    const known = await namespaces.find(namespace);
    return allow(`turn ${known?.labels['turn'] ?? 'unknown'}`);
  },
});
