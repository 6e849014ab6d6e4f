import type { Condition } from '../../condition.ts';
import { done, later, type Outcome } from '../../outcome.ts';
import { sha256 } from '../sha-256.ts';
import { type InLine, isLate, type KeptCampaign } from './campaign.ts';
import { type Hindering, type Hindrance, hindered, turnToCome } from './hindrance.ts';
import type { Looked } from './look-at-pods.ts';
import type { Found } from './look-over.ts';
import type { Awaited, Step } from './plan-owner.ts';

/** What became of one owner. */
export type Tried = Outcome | Hindrance;

/** Where the time comes by itself, and is known. All else is left to the pass, which asks for all of them. */
const ownTime: readonly Hindering[] = [
  ...(['young', 'turn', 'budget', 'bundle-new', 'configuration-new', 'replacement-new'] as const),
];

/** One owner is no reason to leave the others alone; the next pass tries it again. */
export function failed(cause: unknown): Tried {
  const why = cause instanceof Error ? cause.message : String(cause);
  return hindered('failed', why, 300_000);
}

/** After one pod's change. */
export function outcomeOf(tried: Tried): Outcome {
  if (tried.kind !== 'hindered') return tried;
  const { by, afterSeconds } = tried;
  return afterSeconds !== undefined && ownTime.includes(by) ? later(afterSeconds) : done;
}

const leastSeconds = 30;

/** The smallest wait, and never at once; but turns come when they come. While there is a line a pass comes soon. */
export function outcomeOfPass(tried: readonly Tried[], hasLine = false): Outcome {
  const own = tried.flatMap((each) => waitOf(each) ?? []);
  const waits = hasLine ? [...own, leastSeconds] : own;
  return waits.length === 0 ? done : later(Math.min(...waits));
}

function waitOf(tried: Tried): number | undefined {
  if (tried.kind === 'done') return undefined;
  if (tried.kind !== 'hindered' && tried.kind !== 'later') return leastSeconds;
  const { afterSeconds } = tried;
  if (afterSeconds === undefined || isTurn(tried)) return afterSeconds;
  return Math.max(leastSeconds, afterSeconds);
}

function isTurn(tried: Tried): boolean {
  return isHindered(tried) && tried.by === 'turn';
}

/** By which the time of the last pass that looked at all is noted; no bundle has a slash in its name. */
export const wholePassName = '/whole-pass';

/** While there is a line, the first pass that says another one looks at all: within a minute of the last, of all replicas'. */
export function wholePassOf(now: Date): string {
  return String(Math.floor(now.getTime() / (leastSeconds * 1_000)));
}

/** The others, and in between whoever's turn comes meanwhile: who is left in line when it ends waits for his. */
export function* inTurn<T>(
  line: InLine[],
  others: readonly T[],
  elapsedMs: () => number,
): Generator<T | InLine> {
  const come = () => (line[0] && line[0].turnInMs <= elapsedMs() ? line.shift() : undefined);
  for (const other of [...others, undefined]) {
    for (let next = come(); next !== undefined; next = come()) yield next;
    if (other !== undefined) yield other;
  }
}

/** Of those nothing is to be looked at until then. */
export function turnsToCome(line: readonly InLine[], elapsedMs: number): readonly Tried[] {
  return line.map(({ turnInMs }) => turnToCome(turnInMs - elapsedMs));
}

/** What nobody can judge is not restarted, and the others are. */
export function unjudgedIn({ unjudged }: Found): readonly Tried[] {
  return unjudged.map(({ namespace, pod, why }) =>
    failed(`pod ${namespace.name}/${pod} cannot be judged: ${why}`),
  );
}

const waitingFor: Readonly<Record<Awaited, (ms: number) => Hindrance>> = {
  old: (ms) => hindered('young', 'its pods are young', ms),
  turn: turnToCome,
  sure: (ms) =>
    hindered(
      'replacement-new',
      'a replacement is otherwise: perhaps what pods are to have has just changed',
      ms,
    ),
};

/** What is to be said where a plan does nothing. */
export function restingBy(
  step: Extract<Step, { kind: 'rest' | 'wait' }>,
  campaign: KeptCampaign | undefined,
  pods: readonly Looked[],
): Tried {
  const state = campaign?.state ?? 'closed';
  if (step.kind === 'wait') return waitingFor[step.until](step.ms);
  // An event tells of it; where one is lost, the next pass sees it.
  if (campaign !== undefined && isLate(campaign))
    return hindered('replacement-late', 'a replacement has not got ready for long', 120_000);
  if (state === 'open') return hindered('replacement', 'a replacement is not ready', 120_000);
  const lacking = pods.filter(({ reason }) => reason !== undefined);
  if (lacking.some(({ excuse, pod }) => excuse === 'orphan' && pod.owner !== undefined))
    return hindered('orphan', 'its owner is gone, or about to go');
  if (lacking.some(({ excuse }) => excuse === 'on-delete'))
    return hindered('on-delete', 'its pods go on to a new template only when they are deleted');
  if (state === 'tripped' && lacking.length > 0)
    return hindered('tripped', 'its pods came back as they were');
  return done;
}

/** Elsewhere each time: a pass that is cut short then leaves out others. */
export function startingAnywhere<T>(all: readonly T[], now: Date): readonly T[] {
  const chosen = Number.parseInt(sha256(now.toISOString()).slice(0, 8), 16) % (all.length || 1);
  return [...all.slice(chosen), ...all.slice(0, chosen)];
}

export function hinderedMeasure(tried: readonly Tried[]) {
  const byWhy = Map.groupBy(tried.filter(isHindered), ({ by }) => by);
  return [...byWhy].map(([why, each]) => ({ labels: { why }, value: each.length }));
}

/** What belongs to every restart. */
const usual: readonly Hindering[] = [
  ...(['young', 'turn', 'replacement', 'replacement-new'] as const),
  ...(['bundle-new', 'configuration-new'] as const),
];

export function freeCondition(tried: readonly Tried[]): Condition {
  const name = 'pod-restarts-free';
  const lasting = tried.filter(isHindered).filter(({ by }) => !usual.includes(by));
  const whys = [...Map.groupBy(lasting, ({ why }) => why)];
  if (whys.length === 0) return { name, holds: true, why: 'nothing hinders restarts' };
  const said = whys.slice(0, 5).map(([why, each]) => `${why} (${each.length})`);
  return { name, holds: false, why: `pods are not restarted: ${said.join('; ')}` };
}

/** It says so of all of them, whoever was looked at. */
export function isOfAll(tried: readonly Tried[]): boolean {
  return tried.some((each) => isHindered(each) && each.isEverywhere);
}

function isHindered(tried: Tried): tried is Hindrance {
  return tried.kind === 'hindered';
}
