import type { Verdict } from '#shared/domain/verdict.ts';
import type { Call } from './answer-review.ts';
import type { Entry } from './desk.ts';
import type { Step } from './fuse.ts';
import type { Gathered } from './gathered.ts';
import type { Answered, Host, Seen } from './host.ts';
import { findOwnParts, type OwnPart, textOf, uidIn } from './own-parts.ts';
import { isRepeatable, type Noted, type Question } from './questions.ts';
import type { Twin } from './twins.ts';

/** What was answered, and what must be so for it to be answered again. */
export type Remembered = {
  readonly entry: Entry;
  readonly questions: readonly Question[];
  /** The answer around its uid. */
  readonly before: string;
  readonly after: string;
  /** What is logged and counted of it. */
  readonly answered: Verdict['kind'];
  readonly steps: readonly Counted[];
};

type Counted = {
  readonly name: string;
  readonly answered: Answered;
  readonly told: readonly (readonly [string, string])[];
};

export type Decided = {
  readonly entry: Entry;
  readonly body: Gathered;
  readonly text: string;
  readonly seen: Seen;
  readonly noted: Noted;
};

/** Larger ones are few, and would push many out. */
const longest = 64 * 1024;

/** What its parts, questions and steps take in memory, about. */
const besides = 2_048;

/** `undefined` where the answer is good for this one review only. */
export function twinOf(decided: Decided): Twin<Remembered> | undefined {
  const { entry, body, text, seen, noted } = decided;
  if (text.length > longest || noted.isLive || !isLasting(seen)) return undefined;
  const bytes = body.copy();
  const parts = bytes.length > longest ? undefined : findOwnParts(bytes);
  if (parts === undefined || !isOfTheTemplate(parts, bytes, decided)) return undefined;
  const [before = '', after = ''] = text.split(seen.asked.uid);
  const value = { ...{ entry, questions: noted.questions, before, after }, ...countedOf(seen) };
  return { bytes, parts, value, size: bytes.length + text.length + besides };
}

/** No object that exists is sent twice. */
function isLasting({ asked, steps }: Seen): boolean {
  return asked.review.operation === 'CREATE' && steps.every(isRepeated);
}

/** Whom it was not for was not asked. A failure may be over, and a denial is logged with what it denies. */
function isRepeated({ function: definition, answered }: Step): boolean {
  if (answered === 'left-out') return true;
  return isRepeatable(definition) && answered !== 'failed' && answered !== 'deny';
}

/** An answer that says what is one pod's own is that pod's alone. */
function isOfTheTemplate(
  parts: readonly OwnPart[],
  bytes: Buffer,
  { text, seen }: Decided,
): boolean {
  const { asked, steps } = seen;
  const around = text.split(asked.uid);
  if (asked.uid !== uidIn(bytes, parts) || around.length !== 2) return false;
  const said = around.join() + JSON.stringify(steps.map(({ changes }) => changes));
  const own = new Set(parts.map((part) => textOf(bytes, part)));
  return ![...own].some((one) => said.includes(one));
}

function countedOf({ asked, steps }: Seen): Pick<Remembered, 'answered' | 'steps'> {
  const { dryRun } = asked.review;
  return {
    answered: steps.some(({ changes }) => changes.length > 0) ? 'patch' : 'allow',
    steps: steps.map(({ function: { name }, answered, verdict }) => {
      return { name, answered, told: dryRun ? [] : Object.entries(verdict?.audit ?? {}) };
    }),
  };
}

type Round = { readonly host: Host; readonly call: Call };

/** Logged and counted as if it had been decided. */
export function again(known: Remembered, uid: string, { host, call }: Round): string {
  const { entry, steps, answered, before, after } = known;
  for (const { name, answered: said, told } of steps) {
    host.meter.ran(name, said, 0);
    for (const [key, value] of told) host.meter.told(name, key, value);
  }
  host.log.debug({ uid, path: entry.path, answered }, 'answered');
  host.meter.answered(entry.path, performance.now() - call.started);
  return before + uid + after;
}
