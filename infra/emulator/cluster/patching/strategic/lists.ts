import { isJsonObject, isList, type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { goText, goType } from '../go-text.ts';
import { marker } from './directives.ts';
import { type Fault, failed, isFault, keyless, listOfLists, unknownDirective } from './fault.ts';
import { indexIn, keylessIn, ordered } from './ordering.ts';

type Items = readonly Json[];

export type MergeItem = (original: JsonObject, patch: JsonObject) => JsonObject | Fault;

export type Lists = {
  readonly original: Items;
  readonly patch: Items;
  readonly mergeKey: string;
  readonly mergeItem: MergeItem;
};

/** Lists of one kind of items; undefined where there is no item at all. */
export function kindOfItems(...lists: readonly Items[]): 'map' | 'primitive' | Fault | undefined {
  const [first, ...rest] = lists.flat();
  if (first === undefined) return undefined;
  if (isList(first)) return listOfLists();
  if (rest.some((item) => goType(item) !== goType(first))) {
    return failed(
      `list element types are not identical: ${goText(lists.map((list) => [...list]))}`,
    );
  }
  return isJsonObject(first) ? 'map' : 'primitive';
}

export function mergedList(lists: Lists): Items | Fault {
  const { original, patch, mergeKey } = lists;
  const kind = kindOfItems(original, patch);
  if (kind === undefined) return original;
  if (isFault(kind)) return kind;
  if (kind === 'primitive') {
    const all = unique([...original, ...patch]);
    return ordered(all, { wanted: patch, had: original, mergeKey: '' });
  }
  if (mergeKey === '') return failed('cannot merge lists without merge key for struct');
  return mergedMaps(lists);
}

function unique(items: Items): Items {
  return items.filter((item, index) => items.findIndex((other) => sameJson(item, other)) === index);
}

/** The items of a list without those that another names. */
export function lessItems(original: Items, gone: Items): Items | Fault {
  const kind = kindOfItems(original, gone);
  if (kind === undefined) return original;
  if (isFault(kind)) return kind;
  if (kind === 'map') return failed('cannot merge lists without merge key for struct');
  return original.filter((item) => !gone.some((other) => sameJson(item, other)));
}

function mergedMaps({ original, patch, mergeKey, mergeItem }: Lists): Items | Fault {
  const special = withoutSpecial(original, patch, mergeKey);
  if (isFault(special)) return special;
  const merged = [...special.original];
  for (const item of special.patch) {
    if (item[mergeKey] === undefined) return keyless(item, mergeKey);
    const index = indexIn(merged, item, mergeKey);
    const found = merged[index];
    const next = isJsonObject(found) ? mergeItem(found, item) : item;
    if (isFault(next)) return next;
    merged.splice(index < 0 ? merged.length : index, 1, next);
  }
  return ordered(merged, { wanted: special.patch, had: special.original, mergeKey });
}

type Special = { readonly original: Items; readonly patch: readonly JsonObject[] };

/** `$patch: delete` takes an item away; `$patch: replace`, wherever it stands, makes the patch the list. */
function withoutSpecial(original: Items, patch: Items, mergeKey: string): Special | Fault {
  const objects = patch.filter(isJsonObject);
  const plain = objects.filter((item) => item[marker] === undefined);
  const marked = objects.filter((item) => item[marker] !== undefined);
  const others = marked.filter((item) => item[marker] !== 'replace');
  let left: Items | Fault = original;
  for (const item of others) if (!isFault(left)) left = deleting(left, item, mergeKey);
  if (isFault(left)) return left;
  return marked.length > others.length
    ? { original: plain, patch: [] }
    : { original: left, patch: plain };
}

function deleting(original: Items, item: JsonObject, mergeKey: string): Items | Fault {
  const directive = item[marker] ?? null;
  if (directive === 'merge') return failed('merging lists cannot yet be specified in the patch');
  if (directive !== 'delete') return unknownDirective(goText(directive), item);
  return (
    keylessIn([item], mergeKey) ?? original.filter((other) => indexIn([other], item, mergeKey) < 0)
  );
}
