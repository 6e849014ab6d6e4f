import { decode } from '../decode.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { done, later, type Outcome } from '../outcome.ts';
import { reasonOf } from './denial.ts';
import { type Finding, isRefusal, type Judgement } from './judgement.ts';
import { invalidAnnotation, statusLabel } from './label-keys.ts';
import type { Marks } from './marks.ts';
import type { NamespaceTrust, TrustRules } from './rules.ts';
import { type Stranger, strangerNote, strangersIn } from './running.ts';
import { imagesIn, slotsToVerify } from './slots.ts';
import { badAmong, standingOfAll } from './standing.ts';
import { markOf, type TrustPod, trustPod } from './trust-pod.ts';

/** A pod that still runs, or will. */
export type LivingPod = {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly pod: TrustPod;
  readonly status: JsonObject;
};

/** `undefined`: another one has its name, or nothing of it runs any more. One that cannot be read is none of ours. */
export function livingPod(object: KubeObject | undefined, uid: string): LivingPod | undefined {
  if (object === undefined || object.metadata.uid !== uid) return undefined;
  const decoded = decode(trustPod, object);
  const status = isJsonObject(object['status']) ? object['status'] : {};
  if (!decoded.ok || isOver(decoded.value, status)) return undefined;
  return { object, namespace: object.metadata.namespace ?? '', pod: decoded.value, status };
}

function isOver({ metadata }: TrustPod, { phase }: JsonObject): boolean {
  return metadata.deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed';
}

export type Seen = {
  readonly marks: Marks;
  /** For Events. */
  readonly told: readonly Told[];
  /** Whether the next look may find something else though nobody changes the pod. */
  readonly isSoon: boolean;
};

export type Told = {
  readonly reason: 'ImagesNotTrusted' | 'ImagesExpiring';
  readonly note: string;
};

type Ask = (images: readonly string[], rules: TrustRules) => Promise<readonly Finding[]>;

/** What is to be said of the pod now. */
export async function seen(living: LivingPod, trust: NamespaceTrust, ask: Ask): Promise<Seen> {
  if (trust.kind === 'off') return quiet(undefined);
  // Whose rules nobody can read: what was known of the images is not known any more.
  if (trust.kind === 'broken') return quiet('pending');
  const { pod, status } = living;
  const { spec } = pod;
  const findings = await ask(imagesIn(slotsToVerify({ spec }, undefined)), trust.rules);
  const strangers = strangersIn({ spec, status }, findings);
  const { marks, told, isSoon } = weighed(findings, strangers);
  // The marks do not say what it is that runs in an image's place.
  const news = strangers.length === 0 && wasTold(living, marks) ? [] : told;
  return { marks, told: [...news, ...expiringIn(findings)], isSoon };
}

/** The marks say of which images; what is told again is counted up where it is the same. */
function wasTold(living: LivingPod, { invalid }: Marks): boolean {
  if (statusOf(living) !== 'failed') return false;
  const told = markOf(living.pod.metadata.annotations, invalidAnnotation)?.split(', ') ?? [];
  return invalid.every((image) => told.includes(image));
}

/** What runs counts as much as what is asked for. */
function weighed(findings: readonly Finding[], strangers: readonly Stranger[]): Seen {
  const isSoon = findings.some(({ judgement }) => isRefusal(judgement) || isRuleless(judgement));
  const standing = standingOfAll(findings);
  if (standing !== 'invalid' && strangers.length === 0) {
    return quiet(standing === 'unavailable' ? 'pending' : 'success');
  }
  const bad = badAmong(findings);
  const images = new Set([...bad, ...strangers].map(({ image }) => image));
  const note = [...bad.map(reasonOf), ...strangers.map(strangerNote)].join('; ');
  const marks = { status: 'failed', isRejected: false, invalid: [...images].toSorted() } as const;
  return { marks, told: [{ reason: 'ImagesNotTrusted', note }], isSoon };
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
  return { marks, told: [], isSoon: status === 'pending' };
}

/** After others are trusted than before, nothing is known; what was told of it is not true any more either. */
export function marksAnew(trust: NamespaceTrust): Marks {
  return quiet(trust.kind === 'off' ? undefined : 'pending').marks;
}

export function statusOf({ pod }: LivingPod): string | undefined {
  return markOf(pod.metadata.labels, statusLabel);
}

/** What nobody could be asked about is asked about soon, and whether what was refused is shown now. */
const soonMs = 120_000;

/**
 * Some pods a little sooner than others, so that not all of an hour are looked at in one second; by the uid, and so the
 * same each time. With no period what is known is not asked about again, as upstream has it.
 */
export function nextLook(uid: string, periodMs: number, isSoon: boolean): Outcome {
  if (periodMs <= 0 && !isSoon) return done;
  let hash = 0;
  for (const letter of uid) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  const share = 0.8 + (hash % 1_000) / 5_000;
  const ms = isSoon ? Math.min(periodMs || soonMs, soonMs) : periodMs;
  return later(Math.max(1, Math.round((ms / 1_000) * share)));
}
