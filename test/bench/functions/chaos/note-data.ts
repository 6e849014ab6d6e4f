import { defineReconcile } from '#shared/define.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { note } from '../../chaos/noted.ts';

/** Woken where the data changed, and not by labels. */
// biome-ignore lint/style/noDefaultExport: a function file
export default defineReconcile({
  name: 'note-data',
  capability: 'chaos',
  trigger: { watch: { of: configMaps, changed: ['/data'] } },
  uses: ['mirror'],
  deadlineMs: 60_000,
  handler: (wake, { mirror }, run) =>
    note(wake, { mirror, function: 'note-data', kind: configMaps }, run),
});
