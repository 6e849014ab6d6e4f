import { capped } from './capping.ts';
import { type Change, diffOf, lessened, ownable } from './changing.ts';
import { isEmpty, union } from './fields.ts';
import { identityOf, type Owner, type Owners, ownedBy } from './owners.ts';

export type Writer = Omit<Owner, 'operation' | 'fields'>;

/** The owners after a write that is no apply: the writer owns what he changed, and nobody else does. */
export function updatedOwners(owners: Owners, change: Change, by: Writer): Owners {
  const diff = diffOf(change);
  const left = lessened(owners, diff);
  const taken = ownable(union(diff.modified, diff.added));
  if (isEmpty(taken)) return capped(left);
  const owner: Owner = { ...by, operation: 'Update', fields: taken };
  const identity = identityOf(owner);
  const fields = union(taken, ownedBy(left, identity));
  return capped(new Map(left).set(identity, { ...owner, fields }));
}
