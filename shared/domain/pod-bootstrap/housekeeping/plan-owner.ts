import { type Campaign, type CampaignKey, isSameCampaign, type KeptCampaign } from './campaign.ts';
import type { Desired } from './desired-pods.ts';
import { type Excuse, hasFinished } from './excuse.ts';
import type { HousedPod } from './housed-pod.ts';
import type { Reason } from './restart-settings.ts';

/** A pod with what is to be said of it. */
export type Seen = {
  readonly pod: HousedPod;
  /** The first that somebody wants restarts for. */
  readonly reason: Reason | undefined;
  readonly excuse: Excuse | undefined;
  /** Whether it lacks something for certain. */
  readonly isEvident: boolean;
  /** How long it is still too young. */
  readonly youngForMs: number;
  /** How long what has made it may still know more than this run does. */
  readonly unsureForMs: number;
};

export type Hashes = Pick<CampaignKey, 'configurationHash' | 'bundleHash'>;

/** All that one owner has, and what was begun. */
export type OwnersPods = {
  readonly pods: readonly Seen[];
  readonly campaign: KeptCampaign | undefined;
  readonly hashes: Hashes;
  /** How many pods the owner wants; `undefined` where nobody has asked. */
  readonly desired?: Desired | undefined;
  /** How long a cause rests that has tripped. */
  readonly breakerPauseMs: number;
  /** The pod whose change has led here. */
  readonly by?: string | undefined;
  /** Whether that pod may begin though others stand before it: nobody else would come. */
  readonly isFree?: boolean | undefined;
};

export type Step =
  /** Nothing to do, or an event of one of these pods will tell when there is. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'wait'; readonly ms: number; readonly until: Awaited }
  /** It is noted and draws its turn; then it is evicted. */
  | { readonly kind: 'intend'; readonly campaign: Campaign; readonly pod: HousedPod }
  | { readonly kind: 'evict'; readonly campaign: KeptCampaign; readonly pod: HousedPod }
  /** Its pods are as they should be, or its owner wants none any more. */
  | { readonly kind: 'close'; readonly campaign: KeptCampaign }
  /** A pod came back as it was. */
  | { readonly kind: 'trip'; readonly campaign: KeptCampaign; readonly pod: HousedPod };

/** Until a pod is old enough, its turn comes, or all know what a replacement may have been made by. */
export type Awaited = 'old' | 'turn' | 'sure';

type Resting = Extract<Step, { kind: 'rest' | 'wait' }>;
export type ActiveStep = Exclude<Step, Resting>;

export function isResting(step: Step): step is Resting {
  return step.kind === 'rest' || step.kind === 'wait';
}

const rest: Step = { kind: 'rest' };

export function planOwner(owned: OwnersPods): Step {
  const step = stepFor(owned);
  return isLeftToAnother(step, owned) ? rest : step;
}

function stepFor(owned: OwnersPods): Step {
  const { campaign } = owned;
  if (campaign === undefined || campaign.state === 'closed') return begin(owned);
  // Nobody is left who would make pods anew, or could be told of a trip.
  if (owned.desired === 'gone') return close(campaign);
  if (campaign.state === 'tripped') return afterTrip(owned, campaign);
  return goOn(owned, campaign);
}

/** Of pods that wait for the same thing, one asks again and again: the first in line, while it is there. */
function isLeftToAnother(step: Step, { by, pods, isFree }: OwnersPods): boolean {
  if (isFree === true || step.kind !== 'intend' || step.campaign.count > 1 || by === step.pod.uid)
    return false;
  return pods.some(({ pod }) => pod.uid === by);
}

/** For the same cause it is begun once more, after the pause; a new template, document or bundle is another cause. */
function afterTrip(owned: OwnersPods, campaign: KeptCampaign): Step {
  const { pods, breakerPauseMs } = owned;
  if (pods.length === 0) return withoutPods(owned, campaign);
  if (pods.every(({ reason }) => reason === undefined)) return close(campaign);
  if (campaign.tries < 2 && campaign.sinceMs >= breakerPauseMs) return begin(owned);
  return begin(
    owned,
    pods.filter((each) => !isOf(each, campaign, owned)),
  );
}

/** A StatefulSet makes the next pod only when the one before is gone: that there is none says nothing. */
function withoutPods({ desired, breakerPauseMs }: OwnersPods, campaign: KeptCampaign): Step {
  const isOver = desired === 'unknown' && campaign.sinceMs >= breakerPauseMs;
  return isOver || desired === 0 ? close(campaign) : rest;
}

function begin(owned: OwnersPods, pods = owned.pods): Step {
  const { campaign, hashes, by, isFree } = owned;
  const eligible = pods.filter((each) => !isVain(each, owned));
  const line = candidates(eligible);
  // Who begins asks again, and asks for itself where it can.
  const own = isFree === true ? line.find(({ pod }) => pod.uid === by) : undefined;
  const first = own ?? line[0];
  if (first === undefined) return untilOld(eligible);
  const { pod, reason } = first;
  const { namespace, owner, template } = pod;
  if (owner === undefined) return rest;
  const { apiVersion, kind, name } = owner;
  const key = { owner: owner.uid, template, ...hashes, reason };
  const isAgain = campaign?.state === 'tripped' && isSameCampaign(campaign, key);
  return {
    kind: 'intend',
    pod,
    campaign: {
      ...{ ...key, namespace, by: { apiVersion, kind, name }, state: 'open', count: 1 },
      known: owned.pods.map((each) => each.pod.uid),
      intent: { uid: pod.uid, name: pod.name },
      tries: isAgain ? campaign.tries + 1 : 1,
    },
  };
}

/** Made since for this very cause, and nothing speaks against it for certain: the next one would be no other. */
function isVain(each: Seen, owned: OwnersPods): boolean {
  const { campaign } = owned;
  if (campaign === undefined || each.isEvident) return false;
  return !campaign.known.includes(each.pod.uid) && isOf(each, campaign, owned);
}

function untilOld(pods: readonly Seen[]): Step {
  const waits = pods.flatMap(({ reason, excuse, youngForMs }) =>
    reason !== undefined && excuse === 'young' ? [youngForMs] : [],
  );
  return waits.length === 0 ? rest : { kind: 'wait', ms: Math.min(...waits), until: 'old' };
}

function goOn(owned: OwnersPods, campaign: KeptCampaign): Step {
  const { pods, hashes } = owned;
  const target = pods.find(({ pod }) => pod.uid === campaign.intent.uid);
  const isCurrent =
    campaign.configurationHash === hashes.configurationHash &&
    campaign.bundleHash === hashes.bundleHash;
  if (target?.pod.isTerminating) return rest;
  if (target !== undefined) return withTarget(target, campaign, isCurrent);

  if (pods.length === 0) return withoutPods(owned, campaign);
  const made = pods.filter(({ pod }) => !campaign.known.includes(pod.uid));
  const [unmodified] = made
    .filter(({ reason, isEvident }) => reason !== undefined && isEvident)
    .toSorted((one, other) => one.unsureForMs - other.unsureForMs);
  if (unmodified !== undefined && isCurrent) return tripOn(unmodified, campaign);
  const isReplaced = made.filter(isRunning).length >= campaign.count && !made.some(isStarting);
  if (!isReplaced && !isComplete(owned)) return rest;
  return isCurrent ? next(owned, campaign) : close(campaign);
}

/** Of two who have read what pods are to have, the one that made it may have read later. */
function tripOn({ pod, unsureForMs: ms }: Seen, campaign: KeptCampaign): Step {
  return ms > 0 ? { kind: 'wait', ms, until: 'sure' } : { kind: 'trip', campaign, pod };
}

function isRunning({ pod }: Seen): boolean {
  return pod.isReady && !pod.isTerminating;
}

/** Others that have come since, for more are wanted or a node was drained, stand for no replacement that is not ready yet. */
function isStarting({ pod }: Seen): boolean {
  return !pod.isReady && !pod.isTerminating && !hasFinished(pod);
}

/** Of an owner that wants fewer pods than it had, no replacement comes. */
function isComplete({ pods, desired }: OwnersPods): boolean {
  return pods.length === desired && pods.every(isRunning);
}

/** The same uid until it is gone, unless it need not go any more. */
function withTarget(target: Seen, campaign: KeptCampaign, isCurrent: boolean): Step {
  if (target.reason === undefined || target.excuse !== undefined || !isCurrent) {
    return close(campaign);
  }
  const { turnInMs = 0 } = campaign;
  if (turnInMs > 0) return { kind: 'wait', ms: turnInMs, until: 'turn' };
  return { kind: 'evict', campaign, pod: target.pod };
}

function next(owned: OwnersPods, campaign: KeptCampaign): Step {
  const found = candidates(owned.pods).find(
    (each) => isOf(each, campaign, owned) && campaign.known.includes(each.pod.uid),
  );
  if (found === undefined) return close(campaign);
  const { revision: _revision, turnInMs: _turn, sinceMs: _since, ...stated } = campaign;
  const { pod } = found;
  const intent = { uid: pod.uid, name: pod.name };
  return { kind: 'intend', pod, campaign: { ...stated, intent, count: campaign.count + 1 } };
}

function isOf({ pod, reason }: Seen, campaign: KeptCampaign, { hashes }: OwnersPods): boolean {
  if (pod.owner === undefined || reason === undefined) return false;
  const { template } = pod;
  return isSameCampaign(campaign, { owner: pod.owner.uid, template, ...hashes, reason });
}

type Candidate = Seen & { readonly reason: Reason };

/** In an order of their own, so that whoever plans picks the same one. */
function candidates(pods: readonly Seen[]): readonly Candidate[] {
  return pods
    .filter((each): each is Candidate => each.reason !== undefined && each.excuse === undefined)
    .toSorted((one, other) => (one.pod.uid < other.pod.uid ? -1 : 1));
}

function close(campaign: KeptCampaign): Step {
  return { kind: 'close', campaign };
}
