import { defineReconcile, type Ports } from '#shared/define.ts';
import { clusterTrustBundles, pods, secrets } from '#shared/domain/kind.ts';
import { conflict, done, later, type Outcome } from '#shared/domain/outcome.ts';
import type { KeptCampaign } from '#shared/domain/pod-bootstrap/housekeeping/campaign.ts';
import {
  countingKind,
  desiredPods,
} from '#shared/domain/pod-bootstrap/housekeeping/desired-pods.ts';
import { hindranceOf } from '#shared/domain/pod-bootstrap/housekeeping/hindrance.ts';
import { type House, houseOf, isBlind } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import { type HousedPod, housedPod } from '#shared/domain/pod-bootstrap/housekeeping/housed-pod.ts';
import type { Wanted } from '#shared/domain/pod-bootstrap/housekeeping/judge-pod.ts';
import {
  concerns,
  hashesOf,
  type Looked,
  labelsInCommon,
  lookAt,
  podsOf,
} from '#shared/domain/pod-bootstrap/housekeeping/look-at-pods.ts';
import {
  hasAny,
  lookingIn,
  lookOver,
  ownersIn,
  type Whose,
} from '#shared/domain/pod-bootstrap/housekeeping/look-over.ts';
import { pauseMs } from '#shared/domain/pod-bootstrap/housekeeping/pace.ts';
import { planOwner, type Step } from '#shared/domain/pod-bootstrap/housekeeping/plan-owner.ts';
import { tripReport } from '#shared/domain/pod-bootstrap/housekeeping/reports.ts';
import { access, uses } from '#shared/domain/pod-bootstrap/housekeeping/restart-rights.ts';
import { resyncSeconds } from '#shared/domain/pod-bootstrap/housekeeping/resync.ts';
import { startNeedsOf } from '#shared/domain/pod-bootstrap/housekeeping/start-needs.ts';
import { whyUnhealthyIn } from '#shared/domain/pod-bootstrap/housekeeping/webhook-health.ts';

type Given = Pick<Ports, (typeof uses)[number]>;

/** Evicts, one after the other, so that pods are made anew: then the webhook is called. */
export default defineReconcile({
  name: 'restart-pod',
  capability: 'pod-bootstrap',
  summary: 'Has pods made anew that were made while the webhook was away, or have an old bundle.',
  trigger: {
    watch: [
      {
        of: pods,
        changed: [
          '/spec',
          '/metadata/labels',
          '/metadata/annotations',
          '/metadata/deletionTimestamp',
          '/metadata/ownerReferences',
          '/status/phase',
          '/status/conditions',
        ],
      },
      { of: clusterTrustBundles, on: ['added', 'modified'], wakes: { all: pods } },
    ],
    everySeconds: { setting: 'podBootstrap.restart.everySeconds', fallback: 600 },
  },
  uses,
  access,
  deadlineMs: 120_000,
  async handler(wake, given, run) {
    const { settings, bootstrapDocument, clock, mirror } = given;
    if (settings.current().podBootstrap.restart.mode === 'paused') return done;
    const house = await houseOf(settings.current(), bootstrapDocument, clock.now());
    if (house === undefined) return done;
    if (isBlind(house)) return later(10);
    if (wake.kind === 'period') return again(await restartAll(house, given, run?.deadline), house);

    const pod = housedPod((await mirror.findByUid(pods, wake.uid)).object);
    return pod === undefined ? done : afterChange(pod, house, given);
  },
});

async function afterChange(pod: HousedPod, house: House, given: Given): Promise<Outcome> {
  const { owner, namespace } = pod;
  const { namespaces, restarts } = given;
  // A pod may come sooner than what we are told of its namespace.
  const found = (await namespaces.find(namespace)) ?? (await namespaces.findLive(namespace));
  if (owner === undefined || found === undefined) return done;
  const looked = lookAt(pod, lookingIn(house, found));
  if (!concerns(looked, await restarts.find(owner.uid))) return done;
  return restartOf({ uid: owner.uid, namespace, by: pod.uid }, house, given);
}

/** What no event has led to: another document, a campaign whose owner is gone. */
async function restartAll(house: House, given: Given, deadline?: AbortSignal): Promise<Outcome> {
  const { mirror, namespaces, restarts } = given;
  const { objects } = await mirror.list(pods);
  const placed = lookOver(objects, house, namespaces.find);
  const owners = await ownersIn(placed, await restarts.listUnsettled());
  const outcomes: Outcome[] = [];
  for (const whose of owners.values()) {
    if (deadline?.aborted === true) return later(10);
    outcomes.push(await restartOf(whose, house, given));
  }
  return outcomes.every(({ kind }) => kind === 'done') ? done : later(30);
}

/** First as the mirror has it; what is then to be done is decided again on what the cluster says. */
async function restartOf(whose: Whose, house: House, given: Given): Promise<Outcome> {
  const { mirror, cluster, namespaces, restarts } = given;
  const { uid, namespace } = whose;
  const found = await namespaces.findLive(namespace);
  const looking = lookingIn(house, found ?? { name: namespace, annotations: {} });
  const campaign = await restarts.find(uid);
  const about = { campaign, hashes: hashesOf(looking.wanted), by: whose.by };

  const mirrored = await mirror.list(pods, { namespace, owner: uid });
  const known = await podsOf(uid, mirrored.objects, looking);
  const desired = whose.by === undefined ? await desiredBy(known[0], given) : undefined;
  const first = planOwner({ ...about, pods: known, desired, isFree: whose.isFree });
  if (first.kind === 'rest' || house.policy.settings.mode === 'dryRun') return done;
  if (first.kind === 'wait') return seconds(first.ms);

  const labels = { matchLabels: labelsInCommon(known.map(({ pod }) => pod)) };
  const live = await podsOf(uid, cluster.list(pods, { namespace, labels }), looking);
  const step = planOwner({ ...about, pods: live, desired, isFree: true });
  return take(step, { whose, house, given, campaign, wanted: looking.wanted });
}

/** Asked where no event leads: an owner that wants fewer pods than before says nothing to any of them. */
async function desiredBy(first: Looked | undefined, { cluster }: Given) {
  const { owner, namespace } = first?.pod ?? {};
  const kind = owner && countingKind(owner);
  return kind && desiredPods(await cluster.find({ kind, namespace, name: owner.name }));
}

type Taking = {
  readonly whose: Whose;
  readonly house: House;
  readonly given: Given;
  readonly campaign: KeptCampaign | undefined;
  readonly wanted: Wanted;
};

async function take(step: Step, taking: Taking): Promise<Outcome> {
  if (step.kind === 'rest') return done;
  if (step.kind === 'wait') return seconds(step.ms);
  if (step.kind === 'close' || step.kind === 'trip') return settle(step, taking);
  return (await hindrance(step.pod, taking)) ?? evict(step, taking);
}

async function settle(
  step: Extract<Step, { kind: 'close' | 'trip' }>,
  { whose, house, given }: Taking,
): Promise<Outcome> {
  const { owner, revision } = step.campaign;
  const state = step.kind === 'close' ? 'closed' : 'tripped';
  const on = { state, revision } as const;
  if (!(await given.restarts.settle(owner, on))) return conflict('a campaign moved on');
  // Other pods of this owner may have waited for its end.
  if (step.kind === 'close') return restartOf({ ...whose, isFree: true }, house, given);
  if (step.pod.owner) await given.events.report(tripReport(step.pod, step.pod.owner));
  return done;
}

async function evict(
  step: Extract<Step, { kind: 'intend' | 'evict' }>,
  { house, given, campaign }: Taking,
): Promise<Outcome> {
  const { uid, name, namespace } = step.pod;
  if (step.kind === 'intend') {
    const on = { revision: campaign?.revision ?? 0, pauseMs: pauseMs(uid, house.policy.settings) };
    const turn = await given.restarts.intend(step.campaign, on);
    if (turn === undefined) return conflict('a campaign moved on');
    if (turn.waitMs > 0) return seconds(turn.waitMs);
  }
  const evicted = await given.cluster.evict({ kind: pods, namespace, name }, { uid });
  return evicted.kind === 'busy' ? later(Math.max(10, evicted.afterSeconds)) : done;
}

/** Why nothing may go now, though something should. */
async function hindrance(pod: HousedPod, taking: Taking): Promise<Outcome | undefined> {
  const { house, given, wanted } = taking;
  const { bundle, trustBundle, policy } = house;
  const isPresent = bundle !== undefined && trustBundle.kind === 'present';
  const needs = startNeedsOf(pod, wanted);
  const hindered = hindranceOf({
    ...{ needs, bundle, trustBundle, settings: policy.settings },
    bundleAgeMs: isPresent ? await given.restarts.bundleAgeMs(bundle, trustBundle.hash) : undefined,
    sinceTripMs: await given.restarts.msSinceTrip(),
    hasPullSecret: await hasPullSecret(needs.pullSecret, pod.namespace, given),
    unhealthy: await whyUnhealthyIn(given.cluster, policy),
  });
  return hindered && later(hindered.afterSeconds);
}

async function hasPullSecret(name: string | undefined, namespace: string, { cluster }: Given) {
  if (name === undefined) return false;
  const at = { namespace, fields: `metadata.name=${name}`, metadataOnly: true };
  return hasAny(cluster.list(secrets, at));
}

/** Sooner than the period, where the document says so. */
function again(outcome: Outcome, { configuration, policy }: House): Outcome {
  const soonerSeconds = resyncSeconds(configuration.document, policy.settings);
  return outcome.kind === 'done' && soonerSeconds !== undefined ? later(soonerSeconds) : outcome;
}

const seconds = (ms: number): Outcome => later(Math.max(1, Math.ceil(ms / 1_000)));
