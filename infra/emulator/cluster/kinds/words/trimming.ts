import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

/**
 * What a Go structure with `omitempty` does not write: nulls, empty lists, empty texts, and those numbers and booleans
 * that are no pointers there. Which are, no document says; the lists here are taken from the fields of the types.
 */
export function trimmed(object: JsonObject): JsonObject {
  const kept = Object.entries(object).flatMap(([key, value]) => {
    if (isLeftOut(key, value)) return [];
    const next = inner(key, value);
    return [[key, next] as const];
  });
  return kept.every(([key, value]) => object[key] === value) && kept.length === size(object)
    ? object
    : Object.fromEntries(kept);
}

function size(object: JsonObject): number {
  return Object.keys(object).length;
}

function inner(key: string, value: Json): Json {
  if (isList(value)) return listOf(value);
  if (!isJsonObject(value)) return value;
  return freeMaps.has(key) ? withoutNulls(value) : trimmed(value);
}

function listOf(list: readonly Json[]): Json {
  const next = list.map((item) => (isJsonObject(item) ? trimmed(item) : item));
  return next.every((item, index) => item === list[index]) ? list : next;
}

function isLeftOut(key: string, value: Json): boolean {
  if (value === null) return true;
  if (value === '') return !textsThatMayBeEmpty.has(key);
  if (value === false) return plainBooleans.has(key);
  if (value === 0) return plainNumbers.has(key);
  if (isList(value)) return value.length === 0;
  return isJsonObject(value) && size(value) === 0 && freeMaps.has(key);
}

function withoutNulls(object: JsonObject): JsonObject {
  const stated = Object.entries(object).filter(([, value]) => value !== null);
  return stated.length === size(object) ? object : Object.fromEntries(stated);
}

/** Their keys are the user's. */
const freeMaps = new Set([
  'allocatable',
  'annotations',
  'binaryData',
  'capacity',
  'data',
  'default',
  'defaultRequest',
  'disruptedPods',
  'hard',
  'labels',
  'limits',
  'matchLabels',
  'max',
  'maxLimitRequestRatio',
  'min',
  'nodeSelector',
  'overhead',
  'parameters',
  'requests',
  'stringData',
  'used',
  'userAnnotations',
  'volumeAttributes',
]);

const textsThatMayBeEmpty = new Set([
  'appProtocol',
  'claimName',
  'configSource',
  'failedIndexes',
  'fsType',
  'holderIdentity',
  'imageID',
  'image',
  'ingressClassName',
  'key',
  'loadBalancerClass',
  'localhostProfile',
  'managedBy',
  'mountPath',
  'name',
  'reportingComponent',
  'reportingInstance',
  'runtimeClassName',
  'schedule',
  'serviceName',
  'signerName',
  'storageClassName',
  'timeZone',
  'topologyKey',
  'trustBundle',
  'type',
  'url',
  'volumeAttributesClassName',
]);

const plainBooleans = new Set([
  'chapAuthDiscovery',
  'chapAuthSession',
  'globalDefault',
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'paused',
  'publishNotReadyAddresses',
  'readOnly',
  'stdin',
  'stdinOnce',
  'tty',
  'unschedulable',
]);

/** Of a status nothing is left out that has the same name with another meaning elsewhere. */
const plainNumbers = new Set([
  'deprecatedCount',
  'fullyLabeledReplicas',
  'healthCheckNodePort',
  'hostPort',
  'initialDelaySeconds',
  'minReadySeconds',
  'nodePort',
  'numberAvailable',
  'numberUnavailable',
  'observedGeneration',
  'readyReplicas',
  'signal',
  'sizeBytes',
  'unavailableReplicas',
  'updatedNumberScheduled',
  'updatedReplicas',
]);
