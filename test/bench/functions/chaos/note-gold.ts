import { defineReconcile } from '#shared/define.ts';
import { pods } from '#shared/domain/kind.ts';
import { note } from '../../chaos/noted.ts';

/** Woken by those that have the label, or had it. */
// biome-ignore lint/style/noDefaultExport: a function file
export default defineReconcile({
  name: 'note-gold',
  capability: 'chaos',
  trigger: { watch: { of: pods, labels: { matchLabels: { tier: 'gold' } } } },
  uses: ['mirror'],
  deadlineMs: 60_000,
  handler: (wake, { mirror }, run) =>
    note(wake, { mirror, function: 'note-gold', kind: pods }, run),
});
