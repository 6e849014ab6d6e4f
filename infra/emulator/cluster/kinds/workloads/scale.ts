import type { JsonObject } from '#shared/domain/json.ts';
import type { Subresource } from '../../parts.ts';
import { countedAs } from '../kind-rules.ts';
import { metadataOf, numberOf, partOf, put, specOf, statusOf } from '../words/edit.ts';
import { notNegative } from '../words/errors.ts';
import { checkedMetadata } from '../words/metadata.ts';
import { dnsSubdomain } from '../words/names.ts';
import { child, type Errors, items, type Place, root, text } from '../words/place.ts';

export function checkedReplicas(spec: Place): Errors {
  return notNegative(child(spec, 'replicas'));
}

const shownOfMetadata = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
] as const;

/** How many there are and shall be. */
export function scale(
  selectorOf: (spec: JsonObject) => JsonObject[string] | undefined,
  counts: readonly string[] = ['spec'],
): Subresource {
  const counted = countedAs(counts);
  return {
    shape: 'view',
    type: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    shown: (object) => shownAs(object, selectorText(selectorOf(specOf(object)))),
    taken(view, before) {
      const errors = checkedScale(root(view));
      if (errors.length > 0) return errors;
      const replicas = numberOf(specOf(view), 'replicas') ?? 0;
      return counted({ ...before, spec: { ...specOf(before), replicas } }, before);
    },
  };
}

function checkedScale(at: Place): Errors {
  const named = { name: dnsSubdomain, isClusterWide: false, hasFreeFinalizers: false };
  return [...checkedMetadata(child(at, 'metadata'), named), ...checkedReplicas(child(at, 'spec'))];
}

function shownAs(object: JsonObject, selector: string): JsonObject {
  const status = { replicas: numberOf(statusOf(object), 'replicas') ?? 0 };
  const metadata = shownOfMetadata.reduce<JsonObject>(
    (soFar, key) => put(soFar, key, metadataOf(object)[key]),
    {},
  );
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: specOfScale(numberOf(specOf(object), 'replicas') ?? 0),
    status: selector === '' ? status : { ...status, selector },
  };
}

/** Nought is left out. */
function specOfScale(replicas: number): JsonObject {
  return replicas === 0 ? {} : { replicas };
}

/** `app=web,tier in (a,b),!old`, sorted by key. */
export function selectorText(selector: JsonObject[string] | undefined): string {
  const at = root(partOf({ selector: selector ?? {} }, 'selector'));
  const labels = Object.entries(partOf({ at: child(at, 'matchLabels').value ?? {} }, 'at'));
  const parts = [
    ...labels.map(([key, value]) => [key, `${key}=${value}`] as const),
    ...items(at, 'matchExpressions').map((each) => requirement(each)),
  ];
  return parts
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, shown]) => shown)
    .join(',');
}

function requirement(at: Place): readonly [string, string] {
  const key = text(child(at, 'key'));
  const values = items(at, 'values').map(text).toSorted().join(',');
  switch (text(child(at, 'operator'))) {
    case 'In':
      return [key, `${key} in (${values})`];
    case 'NotIn':
      return [key, `${key} notin (${values})`];
    case 'DoesNotExist':
      return [key, `!${key}`];
    default:
      return [key, key];
  }
}
