import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { itemsOf, partOf, specOf } from '../words/edit.ts';
import { nanoOf } from '../words/quantity.ts';

const counted = ['cpu', 'memory'] as const;

/** Computed from what is requested and limited of cpu and memory. */
export function qosClassOf(pod: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const holders = holdersOf(specOf(pod));
  const stated = holders.filter((each) => isSome(each, 'requests') || isSome(each, 'limits'));
  if (stated.length === 0) return 'BestEffort';
  return holders.every(isExact) ? 'Guaranteed' : 'Burstable';
}

/** The pod's own resources count for all of its containers, where it has any. */
function holdersOf(spec: JsonObject): readonly JsonObject[] {
  const own = spec['resources'];
  if (isJsonObject(own)) return [own];
  const containers = [...itemsOf(spec, 'containers'), ...itemsOf(spec, 'initContainers')];
  return containers.map((each) => partOf(each, 'resources'));
}

function isSome(holder: JsonObject, key: 'requests' | 'limits'): boolean {
  const amounts = partOf(holder, key);
  return counted.some((resource) => nanoOf(amounts[resource]) > 0n);
}

function isExact(holder: JsonObject): boolean {
  const [requests, limits] = [partOf(holder, 'requests'), partOf(holder, 'limits')];
  return counted.every((resource) => {
    const limit = nanoOf(limits[resource]);
    return limit > 0n && nanoOf(requests[resource] ?? limits[resource]) === limit;
  });
}
