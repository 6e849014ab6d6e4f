import { type Cluster, defineReconcile, type EventWriter } from '#shared/define.ts';
import { type Sources, trustIn, trustKnown } from '#shared/domain/image-trust/asked-trust.ts';
import { type Marks, markBody } from '#shared/domain/image-trust/marks.ts';
import {
  type FoundPod,
  foundPod,
  mayMark,
  nextLook,
  seen,
  statusOf,
  type Told,
} from '#shared/domain/image-trust/recheck.ts';
import { type ImageTrustSettings, milliseconds } from '#shared/domain/image-trust/settings.ts';
import { settled } from '#shared/domain/image-trust/settled.ts';
import { toldOf } from '#shared/domain/image-trust/told.ts';
import { pullerOf } from '#shared/domain/image-trust/trust-pod.ts';
import { pods } from '#shared/domain/kind.ts';
import { done, type Outcome } from '#shared/domain/outcome.ts';

/** Of one look: what comes of it has to be written in time. */
const lookMs = 45_000;

/** Admission says what may start. What was signed may be revoked since, and what runs may be something else. */
export default defineReconcile({
  name: 'recheck-pod',
  capability: 'image-trust',
  summary: 'Looks again at the images of running pods, and at what really runs.',
  trigger: {
    watch: {
      of: pods,
      on: ['added', 'modified'],
      changed: [
        '/spec/initContainers',
        '/spec/containers',
        '/spec/ephemeralContainers',
        '/status/initContainerStatuses',
        '/status/containerStatuses',
        '/status/ephemeralContainerStatuses',
        '/metadata/labels/pods.warden.kyma-project.io~1validate',
      ],
    },
  },
  uses: ['clock', 'settings', 'mirror', 'namespaces', 'images', 'cluster', 'events'],
  access: [{ kind: pods, verbs: ['get', 'patch'] }],
  deadlineMs: 60_000,
  async handler(wake, { clock, settings, mirror, namespaces, images, cluster, events }, run) {
    if (wake.kind !== 'object' || wake.deleted) return done;
    const found = foundPod((await mirror.find(pods, wake)).object, wake.uid);
    if (found === undefined) return done;

    const { imageTrust } = settings.current();
    const trust = await trustFor(found, namespaces, imageTrust);
    if (!mayMark(found, trust)) return done;
    const signal = AbortSignal.any([...(run ? [run.deadline] : []), AbortSignal.timeout(lookMs)]);
    const pod = pullerOf(found.pod, found.namespace);
    const { marks, told, pace } = await seen(found, trust, (asked, rules) =>
      images.judge(asked, { rules, pod, isDryRun: false, signal }),
    );

    // Before the mark, which says that it was told.
    for (const each of told) await tell(events, found, each);
    const periodMs = milliseconds(imageTrust.operator.podReconcilerRequeueAfter);
    const next = trust.kind === 'off' ? done : nextLook({ found, pace, periodMs }, clock.now());
    return write(cluster, found, marks, next);
  },
});

/** Most pods of a cluster are of namespaces that verify nothing: only of what we have marked the cluster is asked. */
function trustFor(found: FoundPod, sources: Sources, settings: ImageTrustSettings) {
  const find = statusOf(found) === undefined ? trustKnown : trustIn;
  return find(sources, found.namespace, settings);
}

async function tell(events: EventWriter, { object }: FoundPod, { reason, note }: Told) {
  for (const regarding of toldOf(object)) {
    const about = regarding.kind === pods ? note : `pod ${object.metadata.name}: ${note}`;
    await events.report({ regarding, type: 'Warning', reason, note: about });
  }
}

async function write(
  cluster: Cluster,
  { object, pod }: FoundPod,
  marks: Marks,
  next: Outcome,
): Promise<Outcome> {
  const body = markBody(pod, marks);
  if (body === undefined) return next;
  const { namespace, name = '', uid, resourceVersion } = object.metadata;
  const target = { kind: pods, namespace, name };
  return settled(
    await cluster.patch(target, { type: 'merge', body }, { uid, resourceVersion }),
    next,
  );
}
