import type { AdmissionFunction, OnFailure } from '#shared/define.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { resolveConfigured } from '#shared/domain/settings.ts';
import { type Change, deny, type Remarks, type Verdict } from '#shared/domain/verdict.ts';
import { ask, type Given } from './ask.ts';
import { type Concern, concerns } from './concern.ts';
import type { Asked } from './envelope.ts';
import type { Answered, Bound, FailureKind, Host } from './host.ts';

/** What one function did in a review: `explain` prints these, metrics count them. */
export type Step = {
  readonly function: AdmissionFunction;
  readonly answered: Answered;
  /** Why it was left out or failed; empty where it ran. */
  readonly why: string;
  readonly verdict: Verdict | undefined;
  readonly changes: readonly Change[];
  /** As it left it. */
  readonly object: JsonObject;
  readonly ms: number;
};

export type Fused = {
  readonly steps: readonly Step[];
  /** As it is after all changes. */
  readonly object: JsonObject;
  readonly verdict: Verdict;
};

export type Round = {
  readonly asked: Asked;
  readonly host: Host;
  /** When the answer must be ready, on `performance.now()`'s clock. */
  readonly until: number;
  /** Who decides whether a namespace is a function's: our cache, or the API server, which asked. */
  readonly judge: 'cache' | 'api-server';
};

/** Each function sees the object as the one before left it; one that fails contributes nothing. */
export async function fuse(functions: readonly Bound[], round: Round): Promise<Fused> {
  const steps: Step[] = [];
  let object = round.asked.review.object;
  for (const bound of functions) {
    const step = await takeStep(bound, object, round);
    steps.push(step);
    if (step.verdict?.kind === 'deny') break;
    object = step.object;
  }
  return { steps, object, verdict: verdictOf(steps) };
}

async function takeStep(bound: Bound, object: JsonObject, round: Round): Promise<Step> {
  const started = performance.now();
  const { name } = bound.definition;
  const concern = concerns(bound, object, round);
  const known = concern instanceof Promise ? await concern : concern;
  const given = known.kind === 'mine' ? await askInTime(bound, object, round) : known;

  const ms = performance.now() - started;
  const step = stepOf(bound, given, { object, round, ms });
  round.host.meter.ran(name, step.answered, ms);
  return step;
}

function askInTime(bound: Bound, object: JsonObject, { asked, host, until }: Round) {
  const left = Math.floor(until - performance.now());
  const { name, deadlineMs } = bound.definition;
  const onLate = () => host.meter.late(name);
  return ask(bound, asked, object, { ms: Math.min(deadlineMs, left), onLate });
}

type Known = { readonly object: JsonObject; readonly round: Round; readonly ms: number };

function stepOf(
  bound: Bound,
  given: Given | Exclude<Concern, { kind: 'mine' }>,
  { object, round, ms }: Known,
): Step {
  const { definition } = bound;
  switch (given.kind) {
    case 'answered': {
      const { verdict, changes } = given;
      const answered = verdict.kind === 'patch' && changes.length === 0 ? 'allow' : verdict.kind;
      const { object: after } = given;
      return { function: definition, answered, why: '', verdict, changes, object: after, ms };
    }
    case 'not-mine': {
      const { why } = given;
      const answered = 'left-out';
      return { function: definition, answered, why, verdict: undefined, changes: [], object, ms };
    }
    case 'unknown':
    case 'failed': {
      const { why } = given;
      const verdict = verdictOnFailure(bound, given, round);
      return { function: definition, answered: 'failed', why, verdict, changes: [], object, ms };
    }
  }
}

type Failure = { readonly failure: FailureKind; readonly why: string; readonly cause?: unknown };

/** The text for the cluster's user holds no internals; the cause goes to the log, with the request's uid. */
function verdictOnFailure(
  { definition }: Bound,
  failing: Failure,
  { asked, host }: Round,
): Verdict {
  const { failure, why, cause } = failing;
  const { name } = definition;
  host.meter.failed(name, failure);
  const { uid } = asked;
  host.log.warn({ function: name, uid, failure, why, err: cause }, 'a function could not answer');
  return answerOnFailure(onFailureOf(definition, host), `${name} could not answer`, uid);
}

function onFailureOf({ onFailure }: AdmissionFunction, host: Host): OnFailure {
  return typeof onFailure === 'string' ? onFailure : resolveConfigured(onFailure, host.settings());
}

function answerOnFailure(onFailure: OnFailure, what: string, uid: string): Verdict {
  if (onFailure === 'deny') return { ...deny(`${what} (request ${uid})`), code: 500 };
  return { kind: 'allow', warnings: [`${what}; the request goes on without it (request ${uid})`] };
}

function verdictOf(steps: readonly Step[]): Verdict {
  const remarks = remarksOf(steps);
  const denied = steps.find(({ verdict }) => verdict?.kind === 'deny')?.verdict;
  if (denied !== undefined) return { ...denied, ...remarks };

  const [first, ...others] = steps;
  const changes =
    others.length === 0 ? (first?.changes ?? []) : steps.flatMap((step) => step.changes);
  return changes.length === 0
    ? { kind: 'allow', ...remarks }
    : { kind: 'patch', changes, ...remarks };
}

const nothing: Remarks = {};

function remarksOf(steps: readonly Step[]): Remarks {
  if (steps.every(({ verdict }) => !(verdict?.warnings ?? verdict?.audit))) return nothing;

  const warnings = steps.flatMap(({ verdict }) => verdict?.warnings ?? []);
  const audit = steps.flatMap(({ function: { name }, verdict }) =>
    Object.entries(verdict?.audit ?? {}).map(([key, value]) => [`${name}.${key}`, value] as const),
  );
  return {
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(audit.length === 0 ? {} : { audit: Object.fromEntries(audit) }),
  };
}
