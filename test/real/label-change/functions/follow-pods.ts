import { defineReconcile } from '#shared/define.ts';
import { pods } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';

/** Each change of a pod is the forwarder's to write. */
// biome-ignore lint/style/noDefaultExport: a function file
export default defineReconcile({
  name: 'follow-pods',
  capability: 'label-change',
  trigger: { watch: { of: pods } },
  uses: [],
  deadlineMs: 1_000,
  handler: () => done,
});
