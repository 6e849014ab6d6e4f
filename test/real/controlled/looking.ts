import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Stage } from '#test/contracts/kube-api/asking.ts';
import type { Names } from '#test/contracts/kube-api/place.ts';
import { taken } from '#test/contracts/kube-api/running.ts';
import { plain } from '../differential/normal.ts';
import { lasting, ordered } from './lasting.ts';
import { type Found, named, nameOf, type Words } from './naming.ts';

/** One of the two servers, with what a story has there. */
export type Side = { readonly stage: Stage; readonly names: Names; readonly hashes: Words };

/** All objects of these kinds as wholes, by kind and name, in words that are the same on every server. */
export async function seen(side: Side, kinds: readonly string[]): Promise<JsonObject> {
  const lists = await Promise.all(kinds.map((kind) => listed(side, kind)));
  const objects = named(lists.flat(), side.hashes);
  const entries = kinds.map((kind) => [
    kind,
    byTitle(objects.filter((each) => each.kind === kind)),
  ]);
  return Object.fromEntries(entries);
}

/** Authorities and tokens. */
const secret = /-----BEGIN[^"]*|(LS0tLS1|ZXlK)[\w+/=]{40,}/g;

async function listed({ stage, names }: Side, kind: string): Promise<readonly Found[]> {
  const only = kind === 'namespaces' ? '?fieldSelector=metadata.name={ns}' : '';
  const { reply } = await taken(stage, { do: `GET ${kind}${only}` }, names);
  const text = reply.text.replaceAll(names.get('ns') ?? '', '{ns}').replace(secret, '<secret>');
  const { items } = JSON.parse(text) as { readonly items: readonly JsonObject[] };
  return items
    .filter((item) => !isByChance(item))
    .map((item) => ({ kind, item: ordered(lasting(item, kind)) as JsonObject }));
}

/** Who writes first is a matter of time; so is which addresses are too new for who goes through all of them. */
function isByChance({ reportingComponent, message }: JsonObject): boolean {
  const isOfConflict = typeof message === 'string' && message.includes(' cannot be fulfilled on ');
  return isOfConflict || reportingComponent === 'ipallocator-repair-controller';
}

function byTitle(objects: readonly Found[]): JsonObject {
  const lists = Object.entries(Object.groupBy(objects, titleOf));
  return Object.fromEntries(
    lists.map(([title, same = []]) => {
      const [first = null, ...more] = same.map(({ item }) => plain(ordered(item)));
      return [title, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

/** An Event is known by what it says. */
function titleOf(found: Found): string {
  const { involvedObject, reason, message } = found.item;
  if (!isJsonObject(involvedObject)) return nameOf(found);
  return `${involvedObject['kind']} ${involvedObject['name']}: ${reason}: ${message}`;
}
