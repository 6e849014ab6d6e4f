import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Operation } from './json-patch.ts';

/** What a mutation of a pod may touch. Anything else the API server would refuse, or the kubelet would restart. */
export type PodRequest = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly subresource: string | undefined;
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
};

const ownMarks = /^\/metadata\/(labels|annotations)(\/|$)/;
const image = /^\/spec\/(containers|initContainers)\/(\d+)\/image$/;
const ephemeral = /^\/spec\/ephemeralContainers\/(\d+)(\/|$)/;

export function mayTouch(request: PodRequest, { path }: Operation): boolean {
  switch (request.subresource) {
    case undefined:
      return request.operation === 'CREATE' || ownMarks.test(path) || isNewImage(request, path);
    case 'ephemeralcontainers':
      return isNewItem(request, path);
    default:
      return false;
  }
}

/** An image that this very request changes. */
function isNewImage({ object, old }: PodRequest, path: string): boolean {
  const [, list, index] = image.exec(path) ?? [];
  if (list === undefined || old === undefined) return false;
  const asked = itemsOf(object, list)[Number(index)];
  const before = itemsOf(old, list).find((item) => nameOf(item) === nameOf(asked));
  return before !== undefined && imageOf(before) !== imageOf(asked);
}

function isNewItem({ object, old }: PodRequest, path: string): boolean {
  const [, index] = ephemeral.exec(path) ?? [];
  if (index === undefined || old === undefined) return false;
  const asked = itemsOf(object, 'ephemeralContainers')[Number(index)];
  const known = itemsOf(old, 'ephemeralContainers').map(nameOf);
  return asked !== undefined && !known.includes(nameOf(asked));
}

function itemsOf(pod: JsonObject, list: string): readonly Json[] {
  const spec = pod['spec'];
  const items = isJsonObject(spec) ? spec[list] : undefined;
  return Array.isArray(items) ? items : [];
}

function nameOf(item: Json | undefined): Json | undefined {
  return isJsonObject(item) ? item['name'] : undefined;
}

function imageOf(item: Json | undefined): Json | undefined {
  return isJsonObject(item) ? item['image'] : undefined;
}
