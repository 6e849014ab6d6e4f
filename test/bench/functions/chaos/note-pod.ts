import { defineReconcile } from '#shared/define.ts';
import { pods } from '#shared/domain/kind.ts';
import { note } from '../../chaos/noted.ts';

/** Woken by everything. */
// biome-ignore lint/style/noDefaultExport: a function file
export default defineReconcile({
  name: 'note-pod',
  capability: 'chaos',
  trigger: { watch: { of: pods } },
  uses: ['mirror'],
  deadlineMs: 60_000,
  handler: (wake, { mirror }, run) => note(wake, { mirror, function: 'note-pod', kind: pods }, run),
});
