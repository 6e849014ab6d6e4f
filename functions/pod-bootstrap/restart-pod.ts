import { defineReconcile, type Ports } from '#shared/define.ts';
import { clusterTrustBundles, pods } from '#shared/domain/kind.ts';
import { conflict, done, later, type Outcome } from '#shared/domain/outcome.ts';
import {
  type KeptCampaign,
  lineAmong,
} from '#shared/domain/pod-bootstrap/housekeeping/campaign.ts';
import { askOwner } from '#shared/domain/pod-bootstrap/housekeeping/desired-pods.ts';
import { excusedBy } from '#shared/domain/pod-bootstrap/housekeeping/held-back.ts';
import {
  documentHindrance,
  hindered,
  paused,
  turnToCome,
} from '#shared/domain/pod-bootstrap/housekeeping/hindrance.ts';
import { type House, houseOf, isBlind } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import { type HousedPod, housedPod } from '#shared/domain/pod-bootstrap/housekeeping/housed-pod.ts';
import type { Wanted } from '#shared/domain/pod-bootstrap/housekeeping/judge-pod.ts';
import {
  hasChangedSince,
  lookAhead,
  lookAround,
} from '#shared/domain/pod-bootstrap/housekeeping/look-around.ts';
import {
  concerns,
  hashesOf,
  labelsInCommon,
  lookAt,
  msOf,
  podsOf,
} from '#shared/domain/pod-bootstrap/housekeeping/look-at-pods.ts';
import {
  type Found,
  lookingIn,
  lookOver,
  ownersIn,
  type Whose,
} from '#shared/domain/pod-bootstrap/housekeeping/look-over.ts';
import { busyMs, pauseMs } from '#shared/domain/pod-bootstrap/housekeeping/pace.ts';
import {
  failed,
  freeCondition,
  hinderedMeasure,
  inTurn,
  isOfAll,
  outcomeOf,
  outcomeOfPass,
  restingBy,
  startingAnywhere,
  type Tried,
  turnsToCome,
  unjudgedIn,
  wholePassName,
  wholePassOf,
} from '#shared/domain/pod-bootstrap/housekeeping/pass.ts';
import {
  type ActiveStep,
  isResting,
  planOwner,
  type Step,
} from '#shared/domain/pod-bootstrap/housekeeping/plan-owner.ts';
import { tripReport } from '#shared/domain/pod-bootstrap/housekeeping/reports.ts';
import { access, uses } from '#shared/domain/pod-bootstrap/housekeeping/restart-rights.ts';
import { resyncSeconds } from '#shared/domain/pod-bootstrap/housekeeping/resync.ts';

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
  async handler(wake, given) {
    const { settings, bootstrapDocument, clock, mirror } = given;
    const house = await houseOf(settings.current(), bootstrapDocument, clock.now());
    if (wake.kind === 'period') return restartAll(house, given);
    if (house === undefined || isPaused(house) || isBlind(house)) return done;

    const pod = housedPod((await mirror.findByUid(pods, wake.uid)).object);
    return pod === undefined ? done : afterChange(pod, house, given);
  },
});

function isPaused({ policy }: House): boolean {
  return policy.settings.mode === 'paused';
}

async function afterChange(pod: HousedPod, house: House, given: Given): Promise<Outcome> {
  const { owner, namespace } = pod;
  const { namespaces, restarts } = given;
  // A pod may come sooner than what we are told of its namespace.
  const found = (await namespaces.find(namespace)) ?? (await namespaces.findLive(namespace));
  if (owner === undefined || found === undefined) return done;
  const looked = lookAt(pod, lookingIn(house, found));
  if (!concerns(looked, await restarts.find(owner.uid, namespace))) return done;
  return outcomeOf(await restartOf({ uid: owner.uid, namespace, by: pod.uid }, house, given));
}

/** What no event has led to: another document, a campaign whose owner is gone, an end of what hindered. */
async function restartAll(found: House | undefined, given: Given): Promise<Outcome> {
  const house = found !== undefined && isPaused(found) ? undefined : found;
  const begun = house === undefined ? [] : await given.restarts.listUnsettled();
  const hasLine = lineAmong(begun).length > 0;
  const isWhole = !hasLine || (await isTimeForAll(given));
  const idle = found === undefined ? [] : [paused];
  const tried = house === undefined ? idle : await tryAll({ begun, isWhole }, house, given);
  // Those alone whose turn has come say nothing of all others.
  if (isWhole || isOfAll(tried)) {
    given.measures.report('pod_bootstrap_hindered', hinderedMeasure(tried));
    given.conditions.report(freeCondition(tried));
  }
  return house === undefined ? done : again(outcomeOfPass(tried, hasLine), house);
}

/** Not at each turn: a pass over all asks the cluster about everybody. */
async function isTimeForAll({ clock, restarts }: Given): Promise<boolean> {
  return (await restarts.ageMs(wholePassName, wholePassOf(clock.now()))) === 0;
}

type Begun = { readonly begun: readonly KeptCampaign[]; readonly isWhole: boolean };

/** What hinders all comes first; then each owner by itself. */
async function tryAll(on: Begun, house: House, given: Given): Promise<readonly Tried[]> {
  const hindrance = await lookAround(house, given);
  return hindrance === undefined ? tryEach(on, house, given) : [hindrance];
}

/** Less than the deadline: a run that reaches it has told nobody what it found. */
const passMs = 90_000;

async function tryEach(on: Begun, house: House, given: Given): Promise<readonly Tried[]> {
  const { now } = house.policy;
  const elapsedMs = () => given.clock.now().getTime() - now.getTime();
  const found = await lookForOwners(on, house, given);
  const line = [...lineAmong(on.begun)];
  const tried = [...unjudgedIn(found)];
  for (const whose of inTurn(line, startingAnywhere(found.owners, now), elapsedMs)) {
    if (elapsedMs() > passMs) return [...tried, later(10), ...turnsToCome(line, elapsedMs())];
    const each = await restartOf(whose, house, given).catch(failed);
    tried.push(each);
    if (isOfAll([each])) return tried;
  }
  return [...tried, ...turnsToCome(line, elapsedMs())];
}

async function lookForOwners(
  { begun, isWhole }: Begun,
  house: House,
  { mirror, namespaces }: Given,
): Promise<Found> {
  if (!isWhole) return { owners: [], unjudged: [] };
  const { objects } = await mirror.list(pods);
  return ownersIn(lookOver(objects, house, namespaces.find), begun);
}

/** First as the mirror has it; what is then to be done is decided again on what the cluster says. */
async function restartOf(whose: Whose, house: House, given: Given): Promise<Tried> {
  const { mirror, cluster, namespaces, restarts } = given;
  const { uid, namespace } = whose;
  const found = await namespaces.findLive(namespace);
  const looking = lookingIn(house, found ?? { name: namespace, annotations: {} });
  const campaign = await restarts.find(uid, namespace);
  const breakerPauseMs = msOf(house.policy.settings.breakerPause);
  const about = { campaign, hashes: hashesOf(looking.wanted), by: whose.by, breakerPauseMs };

  const mirrored = await mirror.list(pods, { namespace, owner: uid });
  const known = await podsOf(uid, mirrored.objects, looking);
  const by = known[0]?.pod.owner ?? campaign?.by;
  const ask = () => askOwner(cluster, { uid, namespace, by });
  // Asked where no event leads: an owner that wants fewer pods than before says nothing to any of them.
  const heard = whose.by === undefined ? await ask() : undefined;
  const expected = excusedBy(heard, known);
  const guess = { pods: expected, desired: heard?.desired, isFree: whose.isFree };
  const first = planOwner({ ...about, ...guess });
  if (isResting(first)) return restingBy(first, campaign, expected);
  if (house.policy.settings.mode === 'dryRun') return done;

  const labels = { matchLabels: labelsInCommon(known.map(({ pod }) => pod)) };
  const listed = await podsOf(uid, cluster.list(pods, { namespace, labels }), looking);
  const told = heard ?? (await ask());
  const live = excusedBy(told, listed);
  const step = planOwner({ ...about, pods: live, desired: told.desired, isFree: true });
  if (isResting(step)) return restingBy(step, campaign, live);
  return take(step, { whose, house, given, campaign, wanted: looking.wanted });
}

type Taking = {
  readonly whose: Whose;
  readonly house: House;
  readonly given: Given;
  readonly campaign: KeptCampaign | undefined;
  readonly wanted: Wanted;
};

async function take(step: ActiveStep, taking: Taking): Promise<Tried> {
  const { house, given, wanted } = taking;
  if (step.kind === 'close') return settle(step, taking);
  if (step.kind === 'trip') return documentHindrance(house) ?? tripOrClose(step, taking);
  const { policy } = house;
  return (
    (await lookAround(house, given)) ??
    (await lookAhead(step.pod, { wanted, policy }, given)) ??
    evict(step, taking)
  );
}

async function tripOrClose(step: Extract<Step, { kind: 'trip' }>, taking: Taking): Promise<Tried> {
  const { campaign, pod } = step;
  const isOfAnother = await hasChangedSince(pod, taking.house, taking.given);
  return settle(isOfAnother ? { kind: 'close', campaign } : step, taking);
}

async function settle(
  step: Extract<Step, { kind: 'close' | 'trip' }>,
  { whose, house, given }: Taking,
): Promise<Tried> {
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
): Promise<Tried> {
  const { uid, name, namespace } = step.pod;
  const { cluster, restarts } = given;
  const on = { revision: campaign?.revision ?? 0, pauseMs: pauseMs(uid, house.policy.settings) };
  const turn = await (step.kind === 'intend'
    ? restarts.intend(step.campaign, on)
    : restarts.takeTurn(step.campaign.owner, on));
  if (turn === undefined) return conflict('a campaign moved on');
  if (turn.waitMs > 0) return turnToCome(turn.waitMs);
  const evicted = await cluster.evict({ kind: pods, namespace, name }, { uid });
  if (evicted.kind === 'written') await restarts.noteEvicted(uid);
  else await restarts.giveTurnBack(on.pauseMs);
  if (evicted.kind !== 'busy') return done;
  const triedForMs = step.kind === 'evict' ? (campaign?.sinceMs ?? 0) : 0;
  return hindered('budget', 'a budget is in the way', busyMs(evicted.afterSeconds, triedForMs));
}

/** Sooner than the period, where the document says so. */
function again(outcome: Outcome, { configuration, policy }: House): Outcome {
  const soonerSeconds = resyncSeconds(configuration.document, policy.settings);
  return outcome.kind === 'done' && soonerSeconds !== undefined ? later(soonerSeconds) : outcome;
}
