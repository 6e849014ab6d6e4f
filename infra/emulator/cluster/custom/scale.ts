import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { FieldError, Subresource } from '../parts.ts';
import { objectAt, type Scale, textAt } from './definition.ts';
import { reach, stepsOf, unlike } from './dotted-path.ts';
import { invalid } from './valid/found.ts';

const mostReplicas = 2 ** 31 - 1;

/** What both paths lead to must be a count; the field is told as the definition writes it, with its dot. */
export function scaleErrors(object: JsonObject, scale: Scale | undefined): readonly FieldError[] {
  if (scale === undefined) return [];
  return [...countErrors(object, scale.specReplicas), ...scaleStatusErrors(object, scale)];
}

export function scaleStatusErrors(
  object: JsonObject,
  scale: Scale | undefined,
): readonly FieldError[] {
  if (scale === undefined) return [];
  const { statusReplicas, labelSelector } = scale;
  const selector = labelSelector === undefined ? [] : selectorErrors(object, labelSelector);
  return [...countErrors(object, statusReplicas), ...selector];
}

function countErrors(object: JsonObject, path: string): readonly FieldError[] {
  const found = reach(object, path);
  if (found === undefined) return [];
  if (!('value' in found)) return [atPath(path, 0, found.why)];
  const { value } = found;
  if (typeof value !== 'number' || !Number.isInteger(value))
    return [atPath(path, 0, unlike(path, value, 'int64'))];
  if (value < 0) return [atPath(path, value, 'should be a non-negative integer')];
  return value > mostReplicas
    ? [atPath(path, value, `should be less than or equal to ${mostReplicas}`)]
    : [];
}

function selectorErrors(object: JsonObject, path: string): readonly FieldError[] {
  const found = reach(object, path);
  if (found === undefined) return [];
  if (!('value' in found)) return [atPath(path, '', found.why)];
  const { value } = found;
  if (typeof value === 'string') return [];
  return [atPath(path, '', unlike(path, value, 'string'))];
}

function atPath(path: string, value: Json, detail: string): FieldError {
  return { ...invalid(path, value, detail), field: path };
}

/** `judged` says of the whole object, as it is with the new count, what is wrong with it. */
export function scaleSubresource(scale: Scale, judged: Judge): Subresource {
  return {
    shape: 'view',
    type: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    unreadable: (object) =>
      valueAt(object, scale.specReplicas) === undefined
        ? `the spec replicas field ${JSON.stringify(scale.specReplicas)} does not exist`
        : undefined,
    shown: (object) => shownScale(object, scale),
    taken: (view, before) => {
      const next = takenScale(view, before, scale);
      if (!isJsonObject(next)) return next;
      const errors = judged(next, before);
      return errors.length > 0 ? errors : next;
    },
  };
}

type Judge = (next: JsonObject, before: JsonObject) => readonly FieldError[];

function shownScale(object: JsonObject, scale: Scale): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = objectAt(object, 'metadata');
  const metadata = Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp });
  const selector =
    scale.labelSelector === undefined ? undefined : valueAt(object, scale.labelSelector);
  const replicas = valueAt(object, scale.specReplicas) ?? 0;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(metadata.filter(isStated)),
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: valueAt(object, scale.statusReplicas) ?? 0,
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    },
  };
}

function isStated(entry: [string, Json | undefined]): entry is [string, Json] {
  return entry[1] !== undefined;
}

function valueAt(object: JsonObject, path: string): Json | undefined {
  const reached = reach(object, path);
  return reached !== undefined && 'value' in reached ? reached.value : undefined;
}

function takenScale(
  view: JsonObject,
  before: JsonObject,
  scale: Scale,
): JsonObject | readonly FieldError[] {
  const replicas = objectAt(view, 'spec')['replicas'] ?? 0;
  if (typeof replicas !== 'number')
    return [invalid('spec.replicas', replicas, 'should be a non-negative integer')];
  const written = withValue(before, stepsOf(scale.specReplicas), replicas);
  const resourceVersion = textAt(objectAt(view, 'metadata'), 'resourceVersion');
  const metadata = objectAt(written, 'metadata');
  return resourceVersion === ''
    ? written
    : { ...written, metadata: { ...metadata, resourceVersion } };
}

function withValue(
  object: JsonObject,
  [step, ...rest]: readonly string[],
  value: Json,
): JsonObject {
  if (step === undefined) return object;
  const below = rest.length === 0 ? value : withValue(objectAt(object, step), rest, value);
  return { ...object, [step]: below };
}
