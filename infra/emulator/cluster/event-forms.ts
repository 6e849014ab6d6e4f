import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { invalid, required, says } from './kinds/words/errors.ts';
import { immutable } from './kinds/words/metadata.ts';
import { dnsSubdomain } from './kinds/words/names.ts';
import {
  child,
  type Errors,
  isEmpty,
  isStated,
  number,
  type Place,
  root,
  text,
} from './kinds/words/place.ts';
import type { FieldError, Rules } from './parts.ts';
import { type Conversion, conversion } from './pipeline/conversion.ts';
import type { ServedKind } from './served-kinds.ts';

/** What a core Event calls otherwise than one of `events.k8s.io`; they are kept in the core's words. */
const names: readonly (readonly [core: string, other: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

const outward = new Map(names);
const inward = new Map(names.map(([core, other]) => [other, core] as const));

function renamed(object: JsonObject, by: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [by.get(key) ?? key, value]),
  );
}

export function eventConversion(core: ServedKind): Conversion {
  return conversion({
    ...{ kind: core, version: 'v1' },
    out: (objects) => objects.map(toNewer),
    back: (objects) => objects.map((object) => renamed(object, inward)),
  });
}

/** As a webhook of the other group is shown it. */
export function eventIn(group: string, object: JsonObject): JsonObject {
  return group === '' ? renamed(object, inward) : toNewer(object);
}

/** Who reports is left out where nobody is named. */
function toNewer(object: JsonObject): JsonObject {
  const blank = ['reportingController', 'reportingInstance'];
  const stated = Object.entries(renamed(object, outward));
  return Object.fromEntries(stated.filter(([key, value]) => value !== '' || !blank.includes(key)));
}

/** The rules speak of events in the core's words. */
export function inOtherWords(rules: Rules): Rules {
  const [out, back] = [
    (object: JsonObject) => renamed(object, outward),
    (object: JsonObject) => renamed(object, inward),
  ];
  return {
    ...rules,
    defaulted: (object) => out(rules.defaulted(back(object))),
    created: (object, at) => out(rules.created(back(object), at)),
    updated: (next, before, at) => out(rules.updated(back(next), back(before), at)),
    checked: (next, before) => [
      ...rules.checked(back(next), before && back(before)).map(inNewerWords),
      ...(before === undefined
        ? checkedNewer(root(back(next)))
        : changed(back(next), back(before)).map(inNewerWords)),
    ],
    warnings: (next) => rules.warnings(back(next)),
  };
}

/** Of all fields one is told by its newer name. */
function inNewerWords(error: FieldError): FieldError {
  const isReporter = error.field === 'reportingComponent';
  return isReporter ? { ...error, field: 'reportingController' } : error;
}

const lasting = [
  ...['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count'],
  ...['type', 'eventTime', 'action', 'related', 'reportingComponent', 'reportingInstance'],
];

/** Through the newer form only a series goes on. */
function changed(next: JsonObject, before: JsonObject): Errors {
  const isOther = !sameJson(next['series'] ?? null, before['series'] ?? null);
  return [
    ...(isOther ? checkedSeries(child(root(next), 'series')) : []),
    ...lasting.flatMap((key) => immutable(child(root(next), key), before[key])),
  ];
}

/** What only the older form states. */
const older = ['firstTimestamp', 'lastTimestamp', 'count', 'source'];

/** Whoever writes the newer form says when it was, and of which of two kinds. */
function checkedNewer(at: Place): Errors {
  const [time, type] = [child(at, 'eventTime'), child(at, 'type')];
  return [
    ...says(dnsSubdomain)(child(at, 'metadata', 'name')),
    ...checkedSeries(child(at, 'series')),
    ...(isStated(time) ? [] : [required(time)]),
    ...(['Normal', 'Warning'].includes(text(type))
      ? []
      : [invalid(type, `has invalid value: ${text(type)}`, '')]),
    ...older
      .map((key) => child(at, key))
      .filter((each) => !isEmpty(each) && each.value !== 0)
      .map((each) => invalid(each, 'needs to be unset', '')),
  ];
}

function checkedSeries(at: Place): Errors {
  if (!isStated(at)) return [];
  const [count, time] = [child(at, 'count'), child(at, 'lastObservedTime')];
  return [
    ...(number(count) < 2 ? [invalid(count, 'should be at least 2', '')] : []),
    ...(isStated(time) ? [] : [required(time)]),
  ];
}
