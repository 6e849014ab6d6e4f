import { isJsonObject, isList, type Json, sameJson } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { goText, goType } from '../go-text.ts';
import { elementOrder, fieldOf, marker, type Pair, unmarked } from './directives.ts';
import { type Fault, failed, isFault, malformed, unexpected } from './fault.ts';
import { kindOfItems, type MergeItem, mergedList } from './lists.ts';
import { type Meta, metaOfList } from './meta.ts';
import { keylessIn, keyOf, ordered } from './ordering.ts';

type Items = readonly Json[];

type Lookup = {
  readonly schema: Schema | undefined;
  readonly mergeItemOf: (below: Schema | undefined) => MergeItem;
};

/** Each `$setElementOrder/field` with the field's own patch: both are done here, and gone from the patch. */
export function inSetOrder(pair: Pair, lookup: Lookup): Pair | Fault {
  let current: Pair | Fault = pair;
  for (const key of Object.keys(pair.patch)) {
    if (!key.startsWith(elementOrder)) continue;
    current = withOrder(current, key, lookup);
    if (isFault(current)) return current;
  }
  return current;
}

function withOrder({ original, patch }: Pair, key: string, lookup: Lookup): Pair | Fault {
  const { [key]: wanted, ...others } = patch;
  if (!isList(wanted)) return unexpected('[]interface {}', goType(wanted ?? null));
  const field = fieldOf(key, elementOrder);
  if (field === undefined) return malformed('setElementOrder list');
  const meta = metaOfList(lookup.schema, field);
  if (isFault(meta)) return meta;
  const { [field]: sent, ...rest } = others;
  const mergeItem = lookup.mergeItemOf(meta.schema);
  const list = orderedList({ had: original[field], sent, wanted, meta, mergeItem });
  if (isFault(list)) return list;
  if (list === undefined) return { original, patch: others };
  return { original: { ...original, [field]: list }, patch: rest };
}

type Sorting = {
  readonly had: Json | undefined;
  readonly sent: Json | undefined;
  readonly wanted: Items;
  readonly meta: Meta;
  readonly mergeItem: MergeItem;
};

/** Undefined where there is no list, neither here nor there. */
function orderedList(sorting: Sorting): Items | Fault | undefined {
  const { had, sent, wanted, meta } = sorting;
  const odd = [had, sent].find((list) => list !== undefined && !isList(list));
  if (odd !== undefined) return unexpected('[]interface {}', goType(odd));
  const fault = contradiction(asList(sent), wanted, meta.mergeKey);
  if (fault !== undefined || (had === undefined && sent === undefined)) return fault;
  const kind = kindOfItems(asList(had), asList(sent)) ?? noElements;
  const merged = isFault(kind) ? kind : mergedOf(sorting);
  if (isFault(merged)) return merged;
  return ordered(merged, { wanted, had: asList(had), mergeKey: meta.mergeKey });
}

const noElements = failed('no elements in any of the given slices');

function mergedOf({ had, sent, meta, mergeItem }: Sorting): Items | Fault {
  const [original, patch] = [asList(had), asList(sent)];
  if (sent === undefined) return original;
  if (had === undefined) return asList(unmarked(patch));
  if (meta.strategy !== 'merge') return patch;
  return mergedList({ original, patch, mergeKey: meta.mergeKey, mergeItem });
}

function asList(value: Json | undefined): Items {
  return isList(value) ? value : [];
}

/** The patch's own items must stand in the order that it sets. */
function contradiction(patch: Items, wanted: Items, mergeKey: string): Fault | undefined {
  const items = patch.filter((item) => !isJsonObject(item) || item[marker] === undefined);
  if (patch.length === 0 || wanted.length === 0) return undefined;
  const fault = mergeKey === '' ? undefined : keylessIn([...items, ...wanted], mergeKey);
  if (fault !== undefined) return fault;
  const left = wanted.reduce<Items>((rest, item) => {
    const [first] = rest;
    const isNext = first !== undefined && sameJson(keyOf(first, mergeKey), keyOf(item, mergeKey));
    return isNext ? rest.slice(1) : rest;
  }, items);
  if (left.length === 0) return undefined;
  return failed(
    `The order in patch list:\n${goText(patch)}\n doesn't match ${elementOrder} list:\n${goText(wanted)}\n`,
  );
}
