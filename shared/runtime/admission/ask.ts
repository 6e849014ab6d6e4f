import type { Review } from '#shared/define.ts';
import { decode, describe } from '#shared/domain/decode.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { applyPatch, withoutNoOps } from '#shared/domain/json-patch.ts';
import { mayTouch } from '#shared/domain/pod-bounds.ts';
import type { Change, Verdict } from '#shared/domain/verdict.ts';
import type { Asked } from './envelope.ts';
import type { Bound, FailureKind } from './host.ts';

export type Given =
  | {
      readonly kind: 'answered';
      readonly verdict: Verdict;
      /** What really changes, and the object after it. */
      readonly changes: readonly Change[];
      readonly object: JsonObject;
    }
  | {
      readonly kind: 'failed';
      readonly failure: FailureKind;
      readonly why: string;
      readonly cause?: unknown;
    };

/** One function, one object, one deadline. It never throws: what goes wrong is a kind. */
export async function ask(
  bound: Bound,
  asked: Asked,
  object: JsonObject,
  { ms, onLate }: { readonly ms: number; readonly onLate: () => void },
): Promise<Given> {
  if (ms <= 0) return failed('out-of-time', 'no time was left for it');

  const decoded = decode(bound.definition.schema, object);
  if (!decoded.ok) return failed('object-refused', describe(decoded.problems[0]));

  const heard = await inTime(bound, reviewOf(bound, asked, decoded.value), { ms, onLate });
  return heard.kind === 'failed' ? heard : applied(heard.verdict, asked, object);
}

type Failed = Extract<Given, { kind: 'failed' }>;
type Heard = Failed | { readonly kind: 'heard'; readonly verdict: Verdict };

function failed(failure: FailureKind, why: string, cause?: unknown): Failed {
  return { kind: 'failed', failure, why, cause };
}

type Undated = Omit<Review<unknown>, 'deadline'>;

function reviewOf({ definition }: Bound, { review }: Asked, object: unknown): Undated {
  const old = review.old === undefined ? undefined : decode(definition.schema, review.old);
  // An old object that the schema refuses is as good as none: it is history, not what will run.
  return { ...review, object, old: old?.ok === true ? old.value : undefined };
}

type Limit = { readonly ms: number; readonly onLate: () => void };

async function inTime({ definition, ports }: Bound, review: Undated, limit: Limit): Promise<Heard> {
  const alarm = setAlarm(limit.ms);
  try {
    const answer = definition.handler(dated(review, alarm), ports);
    if (!(answer instanceof Promise)) return { kind: 'heard', verdict: answer };

    const first = await Promise.race([answer, alarm.rings()]);
    if (first !== ringing) return { kind: 'heard', verdict: first };
    answer.then(limit.onLate, limit.onLate);
    return failed('overran', `it took longer than ${limit.ms} ms`);
  } catch (cause: unknown) {
    return failed('threw', 'it failed', cause);
  } finally {
    alarm.off();
  }
}

const ringing = Symbol('ringing');
type Alarm = ReturnType<typeof setAlarm>;

/** Runs from the first look at it: most handlers answer at once and never look, and a timer costs as much as they do. */
function setAlarm(ms: number) {
  const controller = lazily(() => new AbortController());
  const clock = lazily(() => {
    const { promise, resolve } = Promise.withResolvers<typeof ringing>();
    const timer = setTimeout(() => {
      // First, so that a handler which answers because of the signal is late all the same.
      resolve(ringing);
      controller.known()?.abort(new Error(`the deadline of ${ms} ms is over`));
    }, ms);
    return { promise, timer };
  });

  return {
    rings: () => clock.get().promise,
    signal: () => {
      clock.get();
      return controller.get().signal;
    },
    off: () => clearTimeout(clock.known()?.timer),
  };
}

function lazily<T>(make: () => T) {
  let made: T | undefined;
  return {
    known: () => made,
    get: (): T => {
      made ??= make();
      return made;
    },
  };
}

function dated(review: Undated, alarm: Alarm): Review<unknown> {
  return {
    ...review,
    get deadline() {
      return alarm.signal();
    },
  };
}

/** What is no verdict, does not fit the object, or may not be touched, is the function's failure: the others' changes stand. */
function applied(verdict: Verdict, asked: Asked, object: JsonObject): Given {
  try {
    if (!isVerdict(verdict)) return failed('no-verdict', 'it gave no verdict');
    if (verdict.kind !== 'patch') return { kind: 'answered', verdict, changes: [], object };

    const astray = verdict.changes.find((change) => !isWithinBounds(change, asked, object));
    if (astray !== undefined) {
      const why = `it wanted to change ${astray.path}, which may not change here`;
      return failed('out-of-bounds', why);
    }
    const changes = withoutNoOps(object, verdict.changes);
    return { kind: 'answered', verdict, changes, object: applyPatch(object, changes) };
  } catch (cause: unknown) {
    return failed('misfit', 'its changes do not fit the object', cause);
  }
}

/** A user's own function may be plain JavaScript, and end without a word. */
function isVerdict(verdict: Verdict | undefined): verdict is Verdict {
  switch (verdict?.kind) {
    case 'allow':
      return true;
    case 'patch':
      return Array.isArray(verdict.changes);
    case 'deny':
      return Array.isArray(verdict.reasons) && verdict.code >= 400 && verdict.code < 600;
    default:
      return false;
  }
}

function isWithinBounds(change: Change, { resource, review }: Asked, object: JsonObject): boolean {
  const isPod = resource.group === '' && resource.resource === 'pods';
  return !isPod || mayTouch({ ...review, object }, change);
}
