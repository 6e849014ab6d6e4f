import { defineReconcile } from '#shared/define.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import { documentPlace } from '#shared/domain/pod-bootstrap/document-place.ts';
import { documentNote } from '#shared/domain/pod-bootstrap/document-report.ts';
import { documentIn } from '#shared/domain/pod-bootstrap/settings.ts';

/** Tells whoever looks at the ConfigMap. Each process that reads it says for itself what it goes by. */
export default defineReconcile({
  name: 'follow-bootstrap-document',
  capability: 'pod-bootstrap',
  summary: 'Reports on the ConfigMap of pod bootstrap what is wrong with its document.',
  trigger: { watch: { of: configMaps, place: documentPlace }, everySeconds: 60 },
  uses: ['settings', 'bootstrapDocument', 'events'],
  deadlineMs: 10_000,
  async handler(wake, { settings, bootstrapDocument, events }) {
    const { podBootstrap } = settings.current();
    if (documentIn(podBootstrap) !== undefined) return done;

    const held = await bootstrapDocument.readLive();
    const said = documentNote(held);
    // The period only keeps the condition and the measures as they are now: no Event each minute.
    if (wake.kind === 'period' || said === undefined || held.uid === undefined) return done;
    const { namespace, name } = podBootstrap.configMap;
    const regarding = { kind: configMaps, namespace, name, uid: held.uid };
    await events.report({ regarding, type: 'Warning', ...said });
    return done;
  },
});
