import type { JsonObject } from '#shared/domain/json.ts';
import { compared, type Diff } from './comparing.ts';
import {
  difference,
  type Fields,
  fieldsAt,
  intersection,
  isEmpty,
  pruned,
  union,
} from './fields.ts';
import { inOrderAs } from './in-order.ts';
import { type Owner, type Owners, owning } from './owners.ts';
import type { Shape } from './shapes.ts';

/** A change of an object, as far as its fields can be owned. */
export type Change = {
  readonly shape: Shape;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** What this door does not let through: whoever states it, it is not his. */
  readonly reset: Fields;
};

export function diffOf({ shape, before, after, reset }: Change): Diff {
  const { added, modified, removed } = compared(shape, before, after);
  if (isEmpty(reset)) return { added, modified, removed };
  return {
    added: pruned(added, reset),
    modified: pruned(modified, reset),
    removed: pruned(removed, reset),
  };
}

export type Conflicts = readonly { readonly owner: Owner; readonly fields: Fields }[];

/** What others own of what is now another value. */
export function conflictsOf(others: Owners, { added, modified }: Diff): Conflicts {
  const touched = union(modified, added);
  return [...others]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, owner]) => ({ owner, fields: intersection(owner.fields, touched) }))
    .filter(({ fields }) => !isEmpty(fields));
}

/** Nobody else owns what was changed or removed; who owns nothing any more is gone. */
export function lessened(others: Owners, { added, modified, removed }: Diff): Owners {
  const touched = union(union(modified, added), removed);
  if (isEmpty(touched)) return others;
  const left = new Map<string, Owner>();
  for (const [identity, owner] of others) {
    const fields = difference(owner.fields, touched);
    if (!isEmpty(fields)) left.set(identity, owning(owner, inOrderAs(owner.fields, fields)));
  }
  return left;
}

const ofTheServer = [
  fieldsAt('apiVersion'),
  fieldsAt('kind'),
  { 'f:metadata': { '.': {} } },
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => fieldsAt('metadata', name)),
].reduce(union);

/** What makes the object that object belongs to nobody. */
export function ownable(fields: Fields): Fields {
  return difference(fields, ofTheServer);
}
