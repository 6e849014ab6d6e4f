import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

/** How often something was written or told, and by whom, is no promise; nor is what an Event is called. */
export function lasting({ metadata, ...item }: JsonObject, kind: string): JsonObject {
  const { resourceVersion: _, managedFields: __, ...known } = metadata as JsonObject;
  if (kind === 'events') return lastingEvent(item);
  const isOfService = kind === 'endpoints' || kind === 'endpointslices';
  return { ...item, metadata: isOfService ? lastingOfService(known) : known };
}

/** Each sync is a generation, and those of one second have one trigger. */
function lastingOfService({ generation: _, annotations = {}, ...known }: JsonObject): JsonObject {
  const { 'endpoints.kubernetes.io/last-change-trigger-time': __, ...others } =
    annotations as JsonObject;
  return { ...known, annotations: others };
}

function lastingEvent({ count: _, involvedObject, ...event }: JsonObject): JsonObject {
  const { resourceVersion: __, ...about } = involvedObject as JsonObject;
  return { ...event, metadata: {}, involvedObject: about };
}

/** Of these the order is anybody's: there it is that of a hash, or none. */
const unordered = ['subsets', 'endpoints', 'addresses', 'notReadyAddresses', 'ports'];

export function ordered(value: Json, key = ''): Json {
  if (isList(value)) {
    const items = value.map((each) => ordered(each));
    return unordered.includes(key) ? items.toSorted(byText) : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, ordered(each, name)]));
}

function byText(one: Json, other: Json): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
