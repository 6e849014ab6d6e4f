import { defineReconcile } from '#shared/define.ts';
import { namespaces, pods } from '#shared/domain/kind.ts';
import { note } from '../../chaos/noted.ts';

/** Woken by its own beginning and end, and with all of its namespace when that has other labels. */
// biome-ignore lint/style/noDefaultExport: a function file
export default defineReconcile({
  name: 'note-neighbours',
  capability: 'chaos',
  trigger: {
    watch: [
      { of: pods, on: ['added', 'deleted'] },
      { of: namespaces, changed: ['/metadata/labels'], wakes: { all: pods } },
    ],
  },
  uses: ['mirror'],
  deadlineMs: 60_000,
  handler: (wake, { mirror }, run) =>
    note(wake, { mirror, function: 'note-neighbours', kind: pods }, run),
});
