import { isJsonObject, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { type Conflicts, conflictsOf, diffOf, lessened, ownable } from './changing.ts';
import {
  difference,
  type Fields,
  intersection,
  isEmpty,
  noFields,
  pruned,
  union,
} from './fields.ts';
import { fieldsOf, stated } from './fields-of.ts';
import { mergedWith } from './merging.ts';
import { identityOf, type Owner, type Owners } from './owners.ts';
import { removedFrom, withParents } from './removing.ts';
import type { Shape } from './shapes.ts';
import type { Writer } from './updating.ts';

/** A configuration on its way into a live object. */
export type Application = {
  readonly shape: Shape;
  readonly live: JsonObject;
  readonly config: JsonObject;
  readonly owners: Owners;
  readonly reset: Fields;
  readonly by: Writer;
  readonly force: boolean;
};

export type Outcome =
  | { readonly kind: 'merged'; readonly object: JsonObject; readonly owners: Owners }
  | { readonly kind: 'conflicts'; readonly conflicts: Conflicts };

/** Merge, take away what the applier states no longer, then see whose fields that changed. */
export function application(what: Application): Outcome {
  const { shape, live, config, owners, reset, by } = what;
  const owner: Owner = { ...by, operation: 'Apply', fields: statedBy(shape, config, reset) };
  const identity = identityOf(owner);
  const before = owners.get(identity);
  const others = new Map(owners);
  others.delete(identity);
  const merged = mergedObject(shape, live, config);
  const kept = union(allOf(others), owner.fields);
  const last = before?.fields ?? noFields;
  const object = isEmpty(last) ? merged : swept({ shape, merged, last, kept });
  return settled(what, { object, others, owner, before });
}

function statedBy(shape: Shape, config: JsonObject, reset: Fields): Fields {
  return pruned(fieldsOf(shape, config, stated) ?? noFields, reset);
}

function mergedObject(shape: Shape, live: JsonObject, config: JsonObject): JsonObject {
  const merged = mergedWith(shape, live, config);
  return isJsonObject(merged) ? merged : live;
}

function allOf(owners: Owners): Fields {
  return [...owners.values()].map(({ fields }) => fields).reduce(union, noFields);
}

type Sweep = {
  readonly shape: Shape;
  readonly merged: JsonObject;
  /** What the applier stated the last time. */
  readonly last: Fields;
  /** What somebody states or has written, the applier's new configuration included. */
  readonly kept: Fields;
};

/** Without what only the applier wanted, and wants no longer; what nobody owns is not his to remove. */
function swept({ shape, merged, last, kept }: Sweep): JsonObject {
  const all = withParents(shape, fieldsOf(shape, merged, stated) ?? noFields);
  const leftOf = (object: JsonObject) =>
    withParents(shape, fieldsOf(shape, object, stated) ?? noFields);
  const his = withParents(shape, last);
  const without = removedFrom(shape, merged, his);
  const owned = union(leftOf(without), withParents(shape, kept));
  const backed = removedFrom(shape, merged, difference(all, owned));
  const gone = intersection(difference(all, leftOf(backed)), his);
  return removedFrom(shape, merged, gone);
}

type Result = {
  readonly object: JsonObject;
  readonly others: Owners;
  readonly owner: Owner;
  readonly before: Owner | undefined;
};

function settled(what: Application, { object, others, owner, before }: Result): Outcome {
  const { shape, live, reset, force } = what;
  const diff = diffOf({ shape, before: live, after: object, reset });
  const conflicts = conflictsOf(others, diff);
  if (conflicts.length > 0 && !force) return { kind: 'conflicts', conflicts };
  const left = new Map(lessened(others, diff));
  const fields = ownable(owner.fields);
  const isSame = sameJson(live, object);
  const { time } = isSame ? { time: before?.time } : owner;
  if (!isEmpty(fields)) left.set(identityOf(owner), { ...owner, time, fields });
  return { kind: 'merged', object: isSame ? live : object, owners: left };
}
