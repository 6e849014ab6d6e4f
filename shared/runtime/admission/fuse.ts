import type { AdmissionFunction, OnFailure } from '#shared/define.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { type Change, deny, type Remarks, type Verdict } from '#shared/domain/verdict.ts';
import { ask, type Given } from './ask.ts';
import { type Concern, concerns } from './concern.ts';
import type { Asked } from './envelope.ts';
import type { Answered, Bound, FailureKind, Host } from './host.ts';
import { onFailureOf } from './on-failure.ts';
import { onceKnown } from './once-known.ts';

/** What one function did in a review: `explain` prints these, metrics count them. */
export type Step = {
  readonly function: AdmissionFunction;
  readonly answered: Answered;
  /** Why it was left out or failed; empty where it ran. */
  readonly why: string;
  readonly verdict: Verdict | undefined;
  readonly changes: readonly Change[];
  /** The object as it left it, made when it is asked for. */
  readonly after: () => JsonObject;
  readonly ms: number;
};

export type Fused = {
  readonly steps: readonly Step[];
  /** The object as it is after all changes, made when it is asked for. */
  readonly after: () => JsonObject;
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
export function fuse(functions: readonly Bound[], round: Round): Fused | Promise<Fused> {
  return goOn([], functions, round);
}

/** The first function that has to be waited for makes a promise of the rest. */
function goOn(
  steps: readonly Step[],
  functions: readonly Bound[],
  round: Round,
): Fused | Promise<Fused> {
  const last = steps.at(-1);
  const next = last?.verdict?.kind === 'deny' ? undefined : functions[steps.length];
  const { object: given } = round.asked.review;
  if (next === undefined) {
    return { steps, verdict: verdictOf(steps), after: last?.after ?? (() => given) };
  }
  const object = last === undefined ? given : last.after();
  return onceKnown(takeStep(next, object, round), (step) =>
    goOn([...steps, step], functions, round),
  );
}

function takeStep(bound: Bound, object: JsonObject, round: Round): Step | Promise<Step> {
  const started = performance.now();
  const given = onceKnown(concerns(bound, object, round), (concern) =>
    concern.kind === 'mine' ? askInTime(bound, object, round) : concern,
  );
  return onceKnown(given, (known) => {
    const ms = performance.now() - started;
    const step = stepOf(bound, known, { object, round, ms });
    round.host.meter.ran(bound.definition.name, step.answered, ms);
    if (step.verdict?.audit !== undefined) tell(bound, step.verdict.audit, round);
    return step;
  });
}

/** A dry run lets nothing through that could be counted. */
function tell({ definition }: Bound, audit: Record<string, string>, { asked, host }: Round): void {
  if (asked.review.dryRun) return;
  for (const [key, value] of Object.entries(audit)) host.meter.told(definition.name, key, value);
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
  const after = () => object;
  switch (given.kind) {
    case 'answered': {
      const { verdict, changes } = given;
      const answered = verdict.kind === 'patch' && changes.length === 0 ? 'allow' : verdict.kind;
      return { function: definition, answered, why: '', verdict, changes, after: given.after, ms };
    }
    case 'not-mine': {
      const { why } = given;
      const answered = 'left-out';
      return { function: definition, answered, why, verdict: undefined, changes: [], after, ms };
    }
    case 'unknown':
    case 'failed': {
      const { why } = given;
      const verdict = verdictOnFailure(bound, given, round);
      return { function: definition, answered: 'failed', why, verdict, changes: [], after, ms };
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
  return answerOnFailure(onFailureOf(definition, host.settings()), `${name} could not answer`, uid);
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
