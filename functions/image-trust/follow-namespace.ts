import { defineReconcile, type EventWriter } from '#shared/define.ts';
import { trustIn } from '#shared/domain/image-trust/asked-trust.ts';
import { inUserMode } from '#shared/domain/image-trust/label-keys.ts';
import { markBody } from '#shared/domain/image-trust/marks.ts';
import { foundPod, marksAnew, mayMark } from '#shared/domain/image-trust/recheck.ts';
import type { NamespaceTrust } from '#shared/domain/image-trust/rules.ts';
import { settled } from '#shared/domain/image-trust/settled.ts';
import { namespaces as namespaceKind, pods } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';

const mode = '/metadata/labels/namespaces.warden.kyma-project.io~1validate';
const changed = [
  '/metadata/annotations/namespaces.warden.kyma-project.io~1notary-url',
  '/metadata/annotations/namespaces.warden.kyma-project.io~1allowed-registries',
  '/metadata/annotations/namespaces.warden.kyma-project.io~1notary-timeout',
  '/metadata/annotations/namespaces.warden.kyma-project.io~1strict-mode',
] as const;

/** Whoever changes whom a namespace trusts has changed what is known of its pods: `recheck-pod` then looks at each. */
export default defineReconcile({
  name: 'follow-namespace',
  capability: 'image-trust',
  summary: 'Has the pods of a namespace looked at again when it trusts others than before.',
  trigger: {
    watch: [
      { of: namespaceKind, on: ['added', 'modified'], changed: [mode, ...changed] },
      { of: namespaceKind, on: ['added', 'modified'], changed: [mode], wakes: { all: pods } },
      {
        of: namespaceKind,
        on: ['added', 'modified'],
        // In the other mode they say nothing.
        labels: inUserMode.fallback,
        changed,
        wakes: { all: pods },
      },
    ],
  },
  uses: ['settings', 'namespaces', 'mirror', 'cluster', 'events'],
  access: [{ kind: pods, verbs: ['get', 'patch'] }],
  reads: [pods],
  deadlineMs: 20_000,
  async handler(wake, { settings, namespaces, mirror, cluster, events }) {
    if (wake.kind !== 'object' || wake.deleted) return done;
    const { imageTrust } = settings.current();
    if (wake.resource !== pods.resource) {
      await tell(events, wake, await trustIn(namespaces, wake.name, imageTrust));
      return done;
    }
    const found = foundPod((await mirror.find(pods, wake)).object, wake.uid);
    if (found === undefined) return done;

    const trust = await trustIn(namespaces, wake.namespace, imageTrust);
    const body = mayMark(found, trust) ? markBody(found.pod, marksAnew(trust)) : undefined;
    if (body === undefined) return done;
    const target = { kind: pods, namespace: wake.namespace, name: wake.name };
    const { resourceVersion } = found.object.metadata;
    const write = await cluster.patch(
      target,
      { type: 'merge', body },
      { uid: wake.uid, resourceVersion },
    );
    return settled(write, done);
  },
});

type Named = { readonly name: string; readonly uid: string };

async function tell(events: EventWriter, { name, uid }: Named, trust: NamespaceTrust) {
  if (trust.kind !== 'broken') return;
  await events.report({
    regarding: { kind: namespaceKind, name, uid },
    type: 'Warning',
    reason: 'ImageTrustBroken',
    note: `no pod is admitted: ${trust.problems.join('; ')}`,
  });
}
