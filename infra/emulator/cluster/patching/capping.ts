import { union } from './fields.ts';
import { compareTexts, identityOf, type Owner, type Owners } from './owners.ts';

const most = 10;
const oldest = 'ancient-changes';

type Numbered = readonly [string, Owner];

/** Beyond ten updaters the oldest of one version become one. */
export function capped(owners: Owners): Owners {
  const updaters = [...owners].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= most) return owners;
  const left = new Map(owners);
  const first = new Map<string, Numbered>();
  for (const updater of updaters.sort(byAge)) {
    if (updaters.length - (owners.size - left.size) <= most) break;
    const found = first.get(updater[1].apiVersion);
    if (found === undefined) first.set(updater[1].apiVersion, updater);
    else drop(left, found, updater);
  }
  return left;
}

/** The bucket takes the place of the first one, and the time of the last. */
function drop(left: Map<string, Owner>, [firstKey, first]: Numbered, [key, owner]: Numbered): void {
  const { operation, apiVersion, time, fields } = owner;
  const bucket = { manager: oldest, operation, apiVersion, subresource: undefined };
  const identity = identityOf(bucket);
  const found = left.get(identity);
  if (found === undefined) left.delete(firstKey);
  left.delete(key);
  left.set(identity, { ...bucket, time, fields: union(fields, (found ?? first).fields) });
}

function byAge([oneKey, one]: Numbered, [otherKey, other]: Numbered): number {
  return compareTexts(one.time ?? '', other.time ?? '') || compareTexts(oneKey, otherKey);
}
