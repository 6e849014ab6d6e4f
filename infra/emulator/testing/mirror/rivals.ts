import { isOverlapping } from '#shared/adapters/database/scope-place.ts';
import { isRunning } from '../lease-time.ts';
import { type MirrorShelf, type StoredWatch, watchKey } from './shelf.ts';

/** The scopes that overlap one, as long as somebody follows them. */
export function rivalsOf(
  { watches }: MirrorShelf,
  { cluster, scope }: Pick<StoredWatch, 'cluster' | 'scope'>,
): readonly StoredWatch[] {
  return [...watches.values()].filter(
    (watch) =>
      watch.cluster === cluster &&
      watch.scope !== scope &&
      !watch.isRetired &&
      isOverlapping(watch.scope, scope),
  );
}

/** What the simulator puts a wrong one in the place of. */
export type StoreDecisions = { readonly rivalsOf: typeof rivalsOf };

export const storeDecisions: StoreDecisions = { rivalsOf };

/** By somebody else. */
export function isLed(
  { holder, leaseUntilMs }: StoredWatch,
  asker: string,
  nowMs: number,
): boolean {
  return holder !== undefined && holder !== asker && isRunning(leaseUntilMs, nowMs);
}

/** Nobody follows it any more: as the adapter's `retireScopes` has it. */
export function retire({ watches, backfills }: MirrorShelf, watch: StoredWatch): void {
  const cursor = { ...watch.cursor, at: 'nowhere' as const };
  watches.set(watchKey(watch), { ...watch, holder: undefined, isRetired: true, cursor });
  for (const [key, { cluster, scope }] of backfills) {
    if (cluster === watch.cluster && scope === watch.scope) backfills.delete(key);
  }
}
