import { defineReconcile } from '#shared/define.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { note } from '../../chaos/noted.ts';

/** Switched on while all goes on, and woken by everything. */
// biome-ignore lint/style/noDefaultExport: a function file
export default defineReconcile({
  name: 'note-late',
  capability: 'chaos',
  trigger: { watch: { of: configMaps } },
  uses: ['mirror'],
  deadlineMs: 60_000,
  handler: (wake, { mirror }, run) =>
    note(wake, { mirror, function: 'note-late', kind: configMaps }, run),
});
