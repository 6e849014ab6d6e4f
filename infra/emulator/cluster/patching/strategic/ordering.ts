import { isJsonObject, type Json, sameJson } from '#shared/domain/json.ts';
import { goType } from '../go-text.ts';
import { type Fault, keyless, unexpected } from './fault.ts';

type Items = readonly Json[];

/** By what an item of a list is known: its merge key, or for a primitive itself. */
export function keyOf(item: Json, mergeKey: string): Json | undefined {
  if (mergeKey === '') return item;
  return isJsonObject(item) ? item[mergeKey] : undefined;
}

export function indexIn(list: Items, item: Json, mergeKey: string): number {
  const key = keyOf(item, mergeKey);
  return list.findIndex((other) => sameJson(keyOf(other, mergeKey), key));
}

/** Undefined where each has its merge key. */
export function keylessIn(list: Items, mergeKey: string): Fault | undefined {
  for (const item of list) {
    if (!isJsonObject(item)) return unexpected('map[string]interface {}', goType(item));
    if (item[mergeKey] === undefined) return keyless(item, mergeKey);
  }
  return undefined;
}

export type Order = {
  /** As the patch wants its items. */
  readonly wanted: Items;
  /** As the server had them. */
  readonly had: Items;
  readonly mergeKey: string;
};

/** The patch's items in its order, the server's own in theirs; an own one comes first where it stood before. */
export function ordered(merged: Items, { wanted, had, mergeKey }: Order): Items | Fault {
  if (mergeKey !== '') {
    const fault = [merged, wanted, had]
      .map((list) => keylessIn(list, mergeKey))
      .find((found) => found !== undefined);
    if (fault !== undefined) return fault;
  }
  const isWanted = (item: Json) => indexIn(wanted, item, mergeKey) >= 0;
  return zipped({
    own: byIndex(
      merged.filter((item) => !isWanted(item)),
      had,
      mergeKey,
    ),
    sent: byIndex(merged.filter(isWanted), wanted, mergeKey),
    position: (item) => indexIn(had, item, mergeKey),
  });
}

function byIndex(items: Items, order: Items, mergeKey: string): Items {
  return items
    .map((item) => ({ item, index: indexIn(order, item, mergeKey) }))
    .sort((one, other) => one.index - other.index)
    .map(({ item }) => item);
}

type Zip = {
  readonly own: Items;
  readonly sent: Items;
  readonly position: (item: Json) => number;
};

function zipped({ own, sent, position }: Zip): Items {
  const [left, right] = [[...own], [...sent]];
  const out: Json[] = [];
  while (left.length + right.length > 0) {
    const [one, other] = [left[0], right[0]];
    const isOwnFirst = one !== undefined && (other === undefined || isBefore(position, one, other));
    const next = isOwnFirst ? left.shift() : right.shift();
    if (next !== undefined) out.push(next);
  }
  return out;
}

function isBefore(position: (item: Json) => number, one: Json, other: Json): boolean {
  const [here, there] = [position(one), position(other)];
  return here >= 0 && there >= 0 && here < there;
}
