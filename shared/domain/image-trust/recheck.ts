import { decode } from '../decode.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { done, later, type Outcome } from '../outcome.ts';
import { reasonOf } from './denial.ts';
import { type Finding, isRefusal, type Judgement } from './judgement.ts';
import { invalidAnnotation, statusLabel } from './label-keys.ts';
import { invalidText, type Marks } from './marks.ts';
import { rejectionIn } from './rejection.ts';
import type { NamespaceTrust, TrustRules } from './rules.ts';
import { type Stranger, strangerNote, strangersIn } from './running.ts';
import { imagesIn, slotsToVerify } from './slots.ts';
import { badAmong, standingOfAll } from './standing.ts';
import { markOf, type TrustPod, trustPod } from './trust-pod.ts';
import { countedFirst } from './weigh.ts';

/** A pod that is there and not about to go. */
export type FoundPod = {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly pod: TrustPod;
  readonly status: JsonObject;
};

/** `undefined`: another one has its name, or none. One that cannot be read is none of ours. */
export function foundPod(object: KubeObject | undefined, uid: string): FoundPod | undefined {
  if (object === undefined || object.metadata.uid !== uid) return undefined;
  const decoded = decode(trustPod, object);
  if (!decoded.ok || decoded.value.metadata.deletionTimestamp !== undefined) return undefined;
  const status = isJsonObject(object['status']) ? object['status'] : {};
  return { object, namespace: object.metadata.namespace ?? '', pod: decoded.value, status };
}

/** Nothing of it runs any more, or will. */
export function isOver({ status: { phase } }: FoundPod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** What was known of one that is over stays, and goes where nothing is verified any more. */
export function mayMark(found: FoundPod, trust: NamespaceTrust): boolean {
  return trust.kind === 'off' || !isOver(found);
}

export type Seen = {
  readonly marks: Marks;
  /** For Events. */
  readonly told: readonly Told[];
  readonly pace: Pace;
};

/**
 * When the next look may find something else though nobody changes the pod: soon, or the sooner the younger it is. A
 * pull secret comes right after the pod, if it comes; what was pruned from its registry is asked for by all, and for good.
 */
export type Pace = 'usual' | 'soon' | 'by-age';

export type Told = {
  readonly reason: 'ImagesNotTrusted' | 'ImagesExpiring';
  readonly note: string;
};

type Ask = (images: readonly string[], rules: TrustRules) => Promise<readonly Finding[]>;

/** What is to be said of the pod now. */
export async function seen(found: FoundPod, trust: NamespaceTrust, ask: Ask): Promise<Seen> {
  if (trust.kind === 'off') return quiet(undefined);
  // Whose rules nobody can read: what was known of the images is not known any more.
  if (trust.kind === 'broken') return quiet('pending');
  const { pod, status } = found;
  const { spec } = pod;
  const images = imagesIn(slotsToVerify({ spec }, undefined));
  const findings = await countedFirst(images, () => ask(images, trust.rules));
  const strangers = strangersIn({ spec, status }, findings);
  const { marks, told, pace } = weighed(findings, strangers);
  // The marks do not say what it is that runs in an image's place.
  const news = strangers.length === 0 && wasTold(found, marks) ? [] : told;
  return { marks, told: [...news, ...expiringIn(findings)], pace };
}

/** The marks say of which images; what is told again is counted up where it is the same. Admission marks and tells nobody. */
function wasTold(found: FoundPod, { invalid }: Marks): boolean {
  const { annotations } = found.pod.metadata;
  if (statusOf(found) !== 'failed' || rejectionIn(annotations) !== undefined) return false;
  const told = markOf(annotations, invalidAnnotation)?.split(', ') ?? [];
  if (invalid.length === 0) return true;
  const marked = invalidText(invalid).split(', ');
  return marked.every((image) => told.includes(image));
}

/** What runs counts as much as what is asked for. */
function weighed(findings: readonly Finding[], strangers: readonly Stranger[]): Seen {
  const standing = standingOfAll(findings);
  if (standing !== 'invalid' && strangers.length === 0) {
    return quiet(standing === 'unavailable' ? 'pending' : 'success');
  }
  const bad = badAmong(findings);
  const images = new Set([...bad, ...strangers].map(({ image }) => image));
  const note = [...bad.map(reasonOf), ...strangers.map(strangerNote)].join('; ');
  const marks = { status: 'failed', isRejected: false, invalid: [...images].toSorted() } as const;
  return { marks, told: [{ reason: 'ImagesNotTrusted', note }], pace: paceOf(findings) };
}

function paceOf(findings: readonly Finding[]): Pace {
  if (findings.some(({ judgement }) => isRuleless(judgement))) return 'soon';
  return findings.some(({ judgement }) => isRefusal(judgement)) ? 'by-age' : 'usual';
}

/** A file of trust may have been read while somebody was writing it. */
function isRuleless(judgement: Judgement): boolean {
  return judgement.kind === 'untrusted' && judgement.why === 'bad-rules';
}

/** Told at each look: the Event that is there is counted up. */
function expiringIn(findings: readonly Finding[]): readonly Told[] {
  const soon = findings.filter(
    ({ judgement }) => judgement.kind === 'trusted' && judgement.remarks.includes('expiring'),
  );
  if (soon.length === 0) return [];
  const images = soon.map(({ image }) => image).toSorted();
  const note = `what proves them expires soon, and has to be signed anew: ${images.join(', ')}`;
  return [{ reason: 'ImagesExpiring', note }];
}

function quiet(status: Marks['status']): Seen {
  const marks = { status, isRejected: false, invalid: [] };
  return { marks, told: [], pace: status === 'pending' ? 'soon' : 'usual' };
}

/** After others are trusted than before, nothing is known; what was told of it is not true any more either. */
export function marksAnew(trust: NamespaceTrust): Marks {
  return quiet(trust.kind === 'off' ? undefined : 'pending').marks;
}

export function statusOf({ pod }: FoundPod): string | undefined {
  return markOf(pod.metadata.labels, statusLabel);
}

/** What nobody could be asked about is asked about soon. */
const soonMs = 120_000;

type Looking = {
  readonly found: FoundPod;
  readonly pace: Pace;
  /** None, if what is known is not to be asked about again, as upstream has it. */
  readonly periodMs: number;
};

/** Some pods a little sooner than others, so that not all of an hour are looked at in one second; each the same each time. */
export function nextLook({ found, pace, periodMs }: Looking, now: Date): Outcome {
  if (periodMs <= 0 && pace === 'usual') return done;
  const ms = pace === 'usual' ? periodMs : Math.min(periodMs || Infinity, waitMs(pace, found, now));
  return later(Math.max(1, Math.round((ms / 1_000) * shareOf(found))));
}

/** As long again as it has lived: each wait is about twice the one before. */
function waitMs(pace: Pace, { object }: FoundPod, now: Date): number {
  if (pace !== 'by-age') return soonMs;
  const ageMs = now.getTime() - Date.parse(String(object.metadata['creationTimestamp']));
  return ageMs > soonMs ? ageMs : soonMs;
}

function shareOf({ object }: FoundPod): number {
  let hash = 0;
  for (const letter of object.metadata.uid ?? '') {
    hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  }
  return 0.8 + (hash % 1_000) / 5_000;
}
