import { defineReconcile } from '#shared/define.ts';
import { note } from '../../chaos/noted.ts';
import { widgets } from '../../chaos/widgets.ts';

/** Woken by objects of a kind that comes and goes. */
// biome-ignore lint/style/noDefaultExport: a function file
export default defineReconcile({
  name: 'note-widget',
  capability: 'chaos',
  trigger: { watch: { of: widgets } },
  uses: ['mirror'],
  deadlineMs: 60_000,
  handler: (wake, { mirror }, run) =>
    note(wake, { mirror, function: 'note-widget', kind: widgets }, run),
});
