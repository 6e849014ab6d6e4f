import type { Store } from '#events/forwarder/ports.ts';
import { kindOfScope } from '#shared/adapters/database/scope-kind.ts';
import { nowhere, type Term } from '#shared/domain/mirrored.ts';
import type { Connection } from './connection.ts';
import { type MirrorShelf, type Place, type StoredWatch, watchKey } from './shelf.ts';

type Parts = {
  readonly shelf: MirrorShelf;
  readonly cluster: string;
  readonly now: () => number;
  readonly connection: Connection;
};

export function leasesOn(parts: Parts): Pick<Store, 'claim' | 'renew' | 'release'> {
  const { shelf, cluster, now, connection } = parts;
  const alone = <T>(scope: string, work: (watch: StoredWatch) => T): Promise<T> => {
    const key = watchKey({ cluster, scope });
    return connection.locked(key, () =>
      work(shelf.watches.get(key) ?? fresh({ cluster, scope, ...kindOfScope(scope) })),
    );
  };
  const change = (watch: StoredWatch, changed: Partial<StoredWatch>) =>
    shelf.watches.set(watchKey(watch), { ...watch, ...changed });

  return {
    claim: (scope, holder, leaseMs) =>
      alone(scope, (watch) => {
        const isFree = watch.holder === undefined || watch.leaseUntilMs <= now();
        if (!isFree && watch.holder !== holder) return undefined;
        const number = isFree ? watch.term + 1 : watch.term;
        change(watch, { holder, term: number, leaseUntilMs: now() + leaseMs, isRetired: false });
        return { term: { scope, holder, number }, cursor: watch.cursor };
      }),
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

export function isHeld(watch: StoredWatch | undefined, term: Term): boolean {
  return watch?.holder === term.holder && watch.term === term.number;
}

function fresh(place: Place): StoredWatch {
  const nobody = { holder: undefined, term: 0, leaseUntilMs: 0 };
  return { ...place, ...nobody, cursor: nowhere, changes: 0, isRetired: false };
}
