import type { Review } from '#shared/define.ts';
import { type Decoder, decode, describe } from '#shared/domain/decode.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { effectOf } from '#shared/domain/json-patch.ts';
import { mayTouch } from '#shared/domain/pod-bounds.ts';
import type { Change, Verdict } from '#shared/domain/verdict.ts';
import type { Asked } from './envelope.ts';
import type { Bound, FailureKind } from './host.ts';
import { onceKnown } from './once-known.ts';
import { isVerdict } from './verdict-check.ts';

export type Given =
  | {
      readonly kind: 'answered';
      readonly verdict: Verdict;
      /** What really changes, and the object after it. */
      readonly changes: readonly Change[];
      readonly after: () => JsonObject;
    }
  | {
      readonly kind: 'failed';
      readonly failure: FailureKind;
      readonly why: string;
      readonly cause?: unknown;
    };

/** One function, one object, one deadline. It never throws: what goes wrong is a kind. */
export function ask(
  bound: Bound,
  asked: Asked,
  object: JsonObject,
  { ms, onLate }: Limit,
): Given | Promise<Given> {
  if (ms <= 0) return failed('out-of-time', 'no time was left for it');

  const decoded = decode(bound.definition.schema, object);
  if (!decoded.ok) return failed('object-refused', describe(decoded.problems[0]));

  return onceKnown(inTime(bound, asked, decoded.value, { ms, onLate }), (heard) =>
    heard.kind === 'failed' ? heard : applied(heard.verdict, asked, object),
  );
}

type Failed = Extract<Given, { kind: 'failed' }>;
type Heard = Failed | { readonly kind: 'heard'; readonly verdict: Verdict };

function failed(failure: FailureKind, why: string, cause?: unknown): Failed {
  return { kind: 'failed', failure, why, cause };
}

/** Written out, not spread: every review has the same shape, and the engine knows it. */
function reviewOf(
  { definition }: Bound,
  { review }: Asked,
  object: unknown,
  deadline: AbortSignal,
): Review<unknown> {
  const { old, operation, subresource, namespace, name, user, dryRun } = review;
  return {
    object,
    old: old === undefined ? undefined : decodedOld(definition.schema, old),
    operation,
    subresource,
    namespace,
    name,
    user,
    dryRun,
    deadline,
  };
}

/** An old object that the schema refuses is as good as none: it is history, not what will run. */
function decodedOld(schema: Decoder<unknown>, old: JsonObject): unknown {
  const decoded = decode(schema, old);
  return decoded.ok ? decoded.value : undefined;
}

type Limit = { readonly ms: number; readonly onLate: () => void };

function inTime(bound: Bound, asked: Asked, object: unknown, limit: Limit): Heard | Promise<Heard> {
  const controller = new AbortController();
  try {
    const review = reviewOf(bound, asked, object, controller.signal);
    const answer = bound.definition.handler(review, bound.ports);
    // A handler that answers at once needs no timer.
    return answer instanceof Promise ? awaited(answer, limit, controller) : heard(answer);
  } catch (cause: unknown) {
    return failed('threw', 'it failed', cause);
  }
}

async function awaited(
  answer: Promise<Verdict>,
  { ms, onLate }: Limit,
  controller: AbortController,
): Promise<Heard> {
  try {
    const first = await beforeLong(answer, ms, controller);
    if (first !== late) return heard(first);
    answer.then(onLate, onLate);
    return failed('overran', `it took longer than ${ms} ms`);
  } catch (cause: unknown) {
    return failed('threw', 'it failed', cause);
  }
}

function heard(verdict: Verdict): Heard {
  return { kind: 'heard', verdict };
}

const late = Symbol('late');

function beforeLong(
  answer: Promise<Verdict>,
  ms: number,
  controller: AbortController,
): Promise<Verdict | typeof late> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // First, so that a handler which answers because of the signal is late all the same.
      resolve(late);
      controller.abort(new Error(`the deadline of ${ms} ms is over`));
    }, ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** What is no verdict, does not fit the object, or may not be touched, is the function's failure: the others' changes stand. */
function applied(verdict: Verdict, asked: Asked, object: JsonObject): Given {
  try {
    if (!isVerdict(verdict)) return failed('no-verdict', 'it gave no verdict');
    if (verdict.kind !== 'patch')
      return { kind: 'answered', verdict, changes: [], after: () => object };

    const astray = firstAstray(verdict.changes, asked, object);
    if (astray !== undefined) {
      const why = `it wanted to change ${astray.path}, which may not change here`;
      return failed('out-of-bounds', why);
    }
    const effect = effectOf(object, verdict.changes);
    return { kind: 'answered', verdict, changes: effect.operations, after: effect.object };
  } catch (cause: unknown) {
    return failed('misfit', 'its changes do not fit the object', cause);
  }
}

function firstAstray(
  changes: readonly Change[],
  { resource, review }: Asked,
  object: JsonObject,
): Change | undefined {
  if (resource.group !== '' || resource.resource !== 'pods') return undefined;
  const request = { ...review, object };
  return changes.find((change) => !mayTouch(request, change));
}
