import { anything, choice, decode, type Result, record, refine } from '#shared/domain/decode.ts';
import { done, later, type Outcome } from '#shared/domain/outcome.ts';

type Reason = Extract<Outcome, { readonly why: string }>['kind'];

const ofKind = record({ kind: choice('done', 'later', 'conflict', 'retry', 'give-up') });
const isNumber = (value: unknown) => typeof value === 'number';
const isReason = (value: unknown) => typeof value === 'string' || value instanceof Error;
const withSeconds = record({ afterSeconds: refine(anything, isNumber, 'a number') });
const withReason = record({ why: refine(anything, isReason, 'text') });

/** A user's own function may be plain JavaScript: past this nobody looks at what it said again. */
export function outcomeFrom(said: unknown): Result<Outcome> {
  const read = decode(ofKind, said);
  if (!read.ok) return read;
  const { kind } = read.value;
  switch (kind) {
    case 'done':
      return { ok: true, value: done };
    case 'later':
      return laterFrom(said);
    default:
      return reasonedFrom(said, kind);
  }
}

function laterFrom(said: unknown): Result<Outcome> {
  const read = decode(withSeconds, said);
  return read.ok
    ? { ok: true, value: later(boundedSeconds(Number(read.value.afterSeconds))) }
    : read;
}

/** Of an error that somebody handed on as it was, what it says is meant. */
function reasonedFrom(said: unknown, kind: Reason): Result<Outcome> {
  const read = decode(withReason, said);
  if (!read.ok) return read;
  const { why } = read.value;
  return { ok: true, value: { kind, why: why instanceof Error ? why.message : String(why) } };
}

const leastSeconds = 1;
const mostSeconds = 30 * 24 * 60 * 60;

/** Whatever a function says, NaN included, is no reason to turn without a pause; and infinity is nothing that JSON can say. */
export function boundedSeconds(seconds: number): number {
  return Number.isNaN(seconds)
    ? leastSeconds
    : Math.min(Math.max(seconds, leastSeconds), mostSeconds);
}
