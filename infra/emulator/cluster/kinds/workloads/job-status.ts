import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { itemsOf, numberOf, partOf, specOf, statusOf, textOf } from '../words/edit.ts';
import { invalid, required, unfit } from '../words/errors.ts';
import { child, type Errors, isStated, none, number, type Place, text } from '../words/place.ts';
import { countedIndexes } from './index-intervals.ts';
import { checkedCounts } from './template.ts';

const counts = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;

/** Whoever else leads a job to its end: what is true of an end holds from then on. */
export function checkedJobStatus(next: Place, before: JsonObject): Errors {
  const status = child(next, 'status');
  const change = { status, spec: child(next, 'spec'), was: statusOf(before), before };
  return [
    ...checkedCounts(status, counts),
    ...checkedCompletion(change),
    ...checkedEnd(change),
    ...checkedIndexes(change),
    ...checkedSuccess(change),
    ...checkedRegress(change),
  ];
}

type Change = {
  readonly status: Place;
  readonly spec: Place;
  readonly was: JsonObject;
  readonly before: JsonObject;
};

function holds(status: JsonObject, type: string): boolean {
  return itemsOf(status, 'conditions').some(
    (condition) => textOf(condition, 'type') === type && textOf(condition, 'status') === 'True',
  );
}

const stateOf = ({ value }: Place): JsonObject => partOf({ status: value ?? {} }, 'status');
const isFinished = (status: JsonObject) => holds(status, 'Complete') || holds(status, 'Failed');

/** Only what a write has changed is looked at: what was wrong before may stay. */
function changed({ status, was }: Change, ...keys: readonly string[]): boolean {
  const next = stateOf(status);
  return keys.some((key) =>
    /^[A-Z]/.test(key) ? holds(next, key) !== holds(was, key) : !sameJson(next[key], was[key]),
  );
}

function checkedCompletion(change: Change): Errors {
  const { status } = change;
  const next = stateOf(status);
  const [conditions, completed] = [child(status, 'conditions'), child(status, 'completionTime')];
  const isComplete = holds(next, 'Complete');
  const both = (other: string, said: string) =>
    isComplete && holds(next, other) && changed(change, 'Complete', other)
      ? [unfit(conditions, `cannot set Complete=True and ${said}=true conditions`)]
      : none;
  const isAsked = changed(change, 'Complete', 'completionTime');
  const early = 'cannot set completionTime when there is no Complete=True condition';
  return [
    ...both('Failed', 'Failed'),
    ...both('FailureTarget', 'FailureTarget'),
    ...(isAsked && isStated(completed) && !isComplete ? [invalid(completed, early)] : none),
    ...(isAsked && !isStated(completed) && isComplete
      ? [required(completed, 'completionTime is required for Complete jobs')]
      : none),
    ...(changed(change, 'startTime', 'completionTime') && isBefore(completed, next)
      ? [invalid(completed, 'must be equal to or after `startTime`')]
      : none),
    ...unprepared(change, 'Failed', 'FailureTarget'),
    ...unprepared(change, 'Complete', 'SuccessCriteriaMet'),
  ];
}

function isBefore(completed: Place, status: JsonObject): boolean {
  const started = textOf(status, 'startTime');
  return isStated(completed) && started !== '' && Date.parse(text(completed)) < Date.parse(started);
}

/** The end is announced before it comes. */
function unprepared(change: Change, end: string, sign: string): Errors {
  const next = stateOf(change.status);
  if (!changed(change, end, ...(end === 'Complete' ? [sign] : ['failedIndexes']))) return none;
  if (!holds(next, end) || holds(next, sign)) return none;
  const why = `cannot set ${end}=True condition without the ${sign}=true condition`;
  return [unfit(child(change.status, 'conditions'), why)];
}

function checkedEnd(change: Change): Errors {
  const { status, spec, was } = change;
  const next = stateOf(status);
  if (!isFinished(next)) return none;
  const isNew = !isFinished(was);
  const isAsked = (key: string) => isNew || changed(change, key);
  const running = (key: 'active' | 'terminating') =>
    isAsked(key) && number(child(status, key)) > 0
      ? [invalid(child(status, key), `${key}>0 is invalid for finished job`)]
      : none;
  const hasNoRuns = child(spec, 'suspend').value === true && child(spec, 'completions').value === 0;
  const started = child(status, 'startTime');
  return [
    ...running('active'),
    ...(isAsked('startTime') && !isStated(started) && !hasNoRuns
      ? [required(started, 'startTime is required for finished job')]
      : none),
    ...running('terminating'),
  ];
}

function checkedIndexes(change: Change): Errors {
  const { status, spec } = change;
  const [completed, ready] = [child(status, 'completedIndexes'), child(status, 'ready')];
  const isIndexed = text(child(spec, 'completionMode')) === 'Indexed';
  const isAsked = changed(change, 'completedIndexes') && text(completed) !== '';
  const counted = countedIndexes(text(completed), number(child(spec, 'completions')));
  const onlyIndexed = 'cannot set non-empty completedIndexes when non-indexed completion mode';
  return [
    ...(isAsked && typeof counted === 'string'
      ? [invalid(completed, `error parsing completedIndexes: ${counted}`)]
      : none),
    ...(isAsked && !isIndexed ? [invalid(completed, onlyIndexed)] : none),
    ...(changed(change, 'ready', 'active') && number(ready) > number(child(status, 'active'))
      ? [invalid(ready, 'cannot set more ready pods than active')]
      : none),
  ];
}

function checkedSuccess({ status, spec }: Change): Errors {
  const next = stateOf(status);
  const conditions = child(status, 'conditions');
  const isMet = holds(next, 'SuccessCriteriaMet');
  const both = (other: string, said: string) =>
    isMet && holds(next, other)
      ? [unfit(conditions, `cannot set SuccessCriteriaMet=True and ${said}=true conditions`)]
      : none;
  const unmet =
    'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
  return [
    ...both('Failed', 'Failed'),
    ...both('FailureTarget', 'FailureTarget'),
    ...(isStated(child(spec, 'successPolicy')) && !isMet && holds(next, 'Complete')
      ? [unfit(conditions, unmet)]
      : none),
  ];
}

const ends = ['Failed', 'Complete', 'FailureTarget'] as const;

function checkedRegress(change: Change): Errors {
  const { status, spec, was } = change;
  const next = stateOf(status);
  const [conditions, completed, started] = [
    child(status, 'conditions'),
    child(status, 'completionTime'),
    child(status, 'startTime'),
  ];
  const lost = (type: string) => holds(was, type) && !holds(next, type);
  return [
    ...ends
      .filter(lost)
      .map((end) => unfit(conditions, `cannot disable the terminal ${end}=True condition`)),
    ...decreased(change, 'failed'),
    ...(isScaled(spec) ? none : decreased(change, 'succeeded')),
    ...(isStated(completed) && 'completionTime' in was && changed(change, 'completionTime')
      ? [invalid(completed, 'field is immutable')]
      : none),
    ...('startTime' in was && changed(change, 'startTime') && !isHeld(change)
      ? [required(started, 'startTime cannot be removed for unsuspended job')]
      : none),
    ...(lost('SuccessCriteriaMet')
      ? [unfit(conditions, 'cannot disable the SuccessCriteriaMet=True condition')]
      : none),
  ];
}

/** An indexed job may be made smaller, and then counts less. */
function isScaled(spec: Place): boolean {
  const isIndexed = text(child(spec, 'completionMode')) === 'Indexed';
  return isIndexed && child(spec, 'completions').value === child(spec, 'parallelism').value;
}

/** It is, or was until now, suspended: its time begins anew. */
function isHeld({ status, was, before }: Change): boolean {
  const isResuming =
    holds(was, 'Suspended') &&
    itemsOf(stateOf(status), 'conditions').some(
      (each) => textOf(each, 'type') === 'Suspended' && textOf(each, 'status') === 'False',
    );
  return isResuming || specOf(before)['suspend'] === true;
}

function decreased({ status, was }: Change, key: 'failed' | 'succeeded'): Errors {
  const at = child(status, key);
  if (number(at) >= (numberOf(was, key) ?? 0)) return none;
  return [invalid(at, `cannot decrease the ${key} counter`, number(at))];
}
