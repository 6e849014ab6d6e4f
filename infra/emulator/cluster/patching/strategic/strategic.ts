import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import type { Refusal } from '../../refusal.ts';
import { goText, goType } from '../go-text.ts';
import { withoutNulls } from '../merge-patch.ts';
import { deletion, fieldOf, marker, retaining, unmarked } from './directives.ts';
import { answerTo, type Fault, isFault, malformed, unknownDirective } from './fault.ts';
import { lessItems, mergedList } from './lists.ts';
import { metaOfList, metaOfMap } from './meta.ts';
import { inSetOrder } from './set-order.ts';

/** Merges as the schema says field by field. */
export function strategicallyPatched(
  before: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
): JsonObject | Refusal {
  const merged = mergedMap(before, patch, schema);
  return isFault(merged) ? answerTo(merged) : merged;
}

function mergedMap(
  before: JsonObject,
  sent: JsonObject,
  schema: Schema | undefined,
): JsonObject | Fault {
  const { [marker]: directive, ...rest } = sent;
  if (directive !== undefined) return directed(directive, rest, sent);
  const retained = retaining({ original: before, patch: sent });
  if (isFault(retained)) return retained;
  const mergeItemOf = (below: Schema | undefined) => (one: JsonObject, other: JsonObject) =>
    mergedMap(one, other, below);
  const sorted = inSetOrder(retained, { schema, mergeItemOf });
  if (isFault(sorted)) return sorted;
  let merged: JsonObject | Fault = sorted.original;
  for (const [key, value] of Object.entries(sorted.patch)) {
    merged = withField(merged, { key, value, schema });
    if (isFault(merged)) return merged;
  }
  return merged;
}

function directed(directive: Json, rest: JsonObject, sent: JsonObject): JsonObject | Fault {
  if (directive === 'replace') return rest;
  return directive === 'delete' ? {} : unknownDirective(goText(directive), sent);
}

type Stated = {
  readonly key: string;
  readonly value: Json;
  readonly schema: Schema | undefined;
};

function withField(original: JsonObject, { key, value, schema }: Stated): JsonObject | Fault {
  if (key.startsWith(deletion)) return lessPrimitives(original, key, value);
  const { [key]: was, ...others } = original;
  if (value === null) return others;
  const next =
    was === undefined || goType(was) !== goType(value)
      ? unmarked(withoutNulls(value))
      : mergedField(was, { key, value, schema });
  if (isFault(next)) return next;
  return next === undefined ? others : { ...original, [key]: next };
}

function lessPrimitives(original: JsonObject, key: string, gone: Json): JsonObject | Fault {
  const field = fieldOf(key, deletion);
  if (field === undefined) return malformed('primitive list');
  const was = original[field];
  if (!isList(was) || !isList(gone)) return original;
  const left = lessItems(was, gone);
  return isFault(left) ? left : { ...original, [field]: left };
}

function mergedField(was: Json, stated: Stated): Json | Fault | undefined {
  const { value } = stated;
  if (isJsonObject(was) && isJsonObject(value)) return mergedObject(was, value, stated);
  return isList(was) && isList(value) ? mergedItems(was, value, stated) : unmarked(value);
}

function mergedObject(was: JsonObject, value: JsonObject, { key, schema }: Stated): Json | Fault {
  const meta = metaOfMap(schema, key);
  if (isFault(meta)) return meta;
  return meta.strategy === 'replace' ? value : mergedMap(was, value, meta.schema);
}

function mergedItems(
  original: readonly Json[],
  patch: readonly Json[],
  { key, schema }: Stated,
): Json | Fault {
  const meta = metaOfList(schema, key);
  if (isFault(meta)) return meta;
  if (meta.strategy !== 'merge') return patch;
  return mergedList({
    original,
    patch,
    mergeKey: meta.mergeKey,
    mergeItem: (one, other) => mergedMap(one, other, meta.schema),
  });
}
