import type { Claimed, Store } from '#events/forwarder/ports.ts';
import { kindOfScope } from '#shared/adapters/database/scope-kind.ts';
import { nowhere, type Term } from '#shared/domain/mirrored.ts';
import { isRunning } from '../lease-time.ts';
import type { Connection } from './connection.ts';
import { isLed, retire, type StoreDecisions } from './rivals.ts';
import { type MirrorShelf, type Place, type StoredWatch, watchKey } from './shelf.ts';

type Parts = {
  readonly shelf: MirrorShelf;
  readonly cluster: string;
  readonly now: () => number;
  readonly connection: Connection;
  readonly decisions: StoreDecisions;
};

type Change = (watch: StoredWatch, changed: Partial<StoredWatch>) => void;
type Leases = Pick<Store, 'claim' | 'renew' | 'release'>;

export function leasesOn(parts: Parts): Leases {
  const { shelf, cluster, now, connection } = parts;
  const alone = <T>(scope: string, work: (watch: StoredWatch) => T): Promise<T> => {
    const key = watchKey({ cluster, scope });
    return connection.locked(key, () =>
      work(shelf.watches.get(key) ?? fresh({ cluster, scope, ...kindOfScope(scope) })),
    );
  };
  const change: Change = (watch, changed) =>
    shelf.watches.set(watchKey(watch), { ...watch, ...changed });

  return {
    claim: (scope, holder, leaseMs, how = 'in-turn') =>
      oneOfItsKind(parts, scope, (rivals) =>
        alone(scope, (watch) => {
          const isRefused = how === 'in-turn' && rivals.some((each) => isLed(each, holder, now()));
          if (isRefused) return undefined;
          return take({ ...parts, change }, watch, { rivals, holder, leaseMs });
        }),
      ),
    renew: (term, leaseMs) =>
      alone(term.scope, (watch) => {
        if (!isHeld(watch, term)) return false;
        change(watch, { leaseUntilMs: now() + leaseMs });
        return true;
      }),
    release: (term) =>
      alone(term.scope, (watch) => {
        if (isHeld(watch, term)) change(watch, { holder: undefined, leaseUntilMs: now() });
      }),
  };
}

type Taking = {
  readonly rivals: readonly StoredWatch[];
  readonly holder: string;
  readonly leaseMs: number;
};

function take(
  { shelf, now, change }: Parts & { readonly change: Change },
  watch: StoredWatch,
  { rivals, holder, leaseMs }: Taking,
): Claimed | undefined {
  const isFree = watch.holder === undefined || !isRunning(watch.leaseUntilMs, now());
  if (!isFree && watch.holder !== holder) return undefined;
  const number = isFree ? watch.term + 1 : watch.term;
  const isAnew = rivals.length > 0 || watch.isRetired;
  const cursor = isAnew ? { ...watch.cursor, at: 'listing' as const } : watch.cursor;
  for (const rival of rivals) retire(shelf, rival);
  change(watch, { holder, term: number, cursor, leaseUntilMs: now() + leaseMs, isRetired: false });
  return { term: { scope: watch.scope, holder, number }, cursor };
}

/** One claim of a kind at a time; whoever writes in an overlapping scope ends first. */
function oneOfItsKind<T>(
  { shelf, cluster, connection, decisions }: Parts,
  scope: string,
  work: (rivals: readonly StoredWatch[]) => Promise<T>,
): Promise<T> {
  const { group, resource } = kindOfScope(scope);
  const rivals = () => decisions.rivalsOf(shelf, { cluster, scope });
  return connection.locked(`claims of ${cluster} ${resource}.${group}`, () => {
    const locked = rivals()
      .map(watchKey)
      .toSorted()
      .reduceRight(
        (inner, key) => () => connection.locked(key, inner),
        () => work(rivals()),
      );
    return locked();
  });
}

export function isHeld(watch: StoredWatch | undefined, term: Term): boolean {
  return watch?.holder === term.holder && watch.term === term.number;
}

function fresh(place: Place): StoredWatch {
  const nobody = { holder: undefined, term: 0, leaseUntilMs: 0, isRetired: false };
  return { ...place, ...nobody, caughtUpAtMs: undefined, cursor: nowhere, changes: 0 };
}
