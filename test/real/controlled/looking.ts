import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Stage } from '#test/contracts/kube-api/asking.ts';
import type { Names } from '#test/contracts/kube-api/place.ts';
import { taken } from '#test/contracts/kube-api/running.ts';
import { plain } from '../differential/normal.ts';
import { type Found, named, nameOf, type Words } from './naming.ts';

/** One of the two servers, with what a story has there. */
export type Side = { readonly stage: Stage; readonly names: Names; readonly hashes: Words };

/** All objects of these kinds as wholes, by kind and name, in words that are the same on every server. */
export async function seen(side: Side, kinds: readonly string[]): Promise<JsonObject> {
  const lists = await Promise.all(kinds.map((kind) => listed(side, kind)));
  const objects = named(lists.flat(), side.hashes);
  const entries = kinds.map((kind) => [kind, byName(objects.filter((each) => each.kind === kind))]);
  return Object.fromEntries(entries);
}

async function listed({ stage, names }: Side, kind: string): Promise<readonly Found[]> {
  const only = kind === 'namespaces' ? '?fieldSelector=metadata.name={ns}' : '';
  const { reply } = await taken(stage, { do: `GET ${kind}${only}` }, names);
  const text = reply.text.replaceAll(names.get('ns') ?? '', '{ns}').replace(secret, '<secret>');
  const { items } = JSON.parse(text) as { readonly items: readonly JsonObject[] };
  const told = items.filter(({ reportingComponent }) => reportingComponent !== repairing);
  return told.map((item) => ({ kind, item: ordered(uncounted(item, kind)) as JsonObject }));
}

/** It looks after addresses when it comes to it, and tells of those that are too new for it. */
const repairing = 'ipallocator-repair-controller';

/** How often something was written or told, and by whom, is no promise; nor is what an Event is called. */
function uncounted({ metadata, ...item }: JsonObject, kind: string): JsonObject {
  const { resourceVersion: _, managedFields: __, generation, ...known } = metadata as JsonObject;
  if (kind === 'endpointslices') return { ...item, metadata: known };
  if (kind !== 'events')
    return { ...item, metadata: { ...known, ...(generation && { generation }) } };
  const { count: ___, involvedObject, ...event } = item;
  const { resourceVersion: ____, ...about } = involvedObject as JsonObject;
  return { ...event, metadata: {}, involvedObject: about };
}

function byName(objects: readonly Found[]): JsonObject {
  const lists = Object.entries(Object.groupBy(objects, (each) => titleOf(each)));
  return Object.fromEntries(
    lists.map(([title, same = []]) => {
      const items = same.map(({ item }) => plain(ordered(item)));
      return [title, items.length === 1 ? (items[0] ?? null) : items];
    }),
  );
}

/** An Event is known by what it says. */
function titleOf(found: Found): string {
  const { involvedObject, reason, message } = found.item;
  if (!isJsonObject(involvedObject)) return nameOf(found);
  return `${involvedObject['kind']} ${involvedObject['name']}: ${reason}: ${message}`;
}

/** Of these the order is anybody's: there it is that of a hash, or none. */
const unordered = ['subsets', 'endpoints', 'addresses', 'notReadyAddresses', 'ports'];
/** Authorities and tokens. */
const secret = /-----BEGIN[^"]*|(LS0tLS1|ZXlK)[\w+/=]{40,}/g;

function ordered(value: Json, key = ''): Json {
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
