import type { Sql } from './connection.ts';
import type { Receipt } from './receipts.ts';

/** What this process has received and not ended. Of each group the last claim: the one before is worth nothing. */
export type InHand = {
  take(claimed: readonly Receipt[]): void;
  end(receipts: readonly Receipt[]): void;
  isEmpty(): boolean;
  /** The same, by the database: what ran out meanwhile is in nobody's hands. */
  isEmptyNow(): Promise<boolean>;
  /** A suspect has the hands for itself, or waits for that: until they are empty, nothing else is taken. */
  reserve(isReserved: boolean): void;
  isReserved(): boolean;
};

export function inHandOn(sql: Sql): InHand {
  const held = new Map<string, Receipt>();
  let isReserved = false;

  const drop = ({ id, claims }: Receipt): void => {
    if (held.get(id)?.claims === claims) held.delete(id);
  };
  const isEmpty = (): boolean => held.size === 0;
  return {
    isEmpty,
    take(claimed) {
      for (const { id, claims } of claimed) held.set(id, { id, claims });
    },
    end(receipts) {
      receipts.forEach(drop);
    },
    async isEmptyNow() {
      if (isEmpty()) return true;
      const known = [...held.values()];
      const good = new Set((await stillHeld(sql, known)).map(({ id }) => id));
      known.filter(({ id }) => !good.has(id)).forEach(drop);
      return isEmpty();
    },
    reserve(isWanted) {
      isReserved = isWanted;
    },
    isReserved: () => isReserved,
  };
}

function stillHeld(sql: Sql, receipts: readonly Receipt[]) {
  return sql<Pick<Receipt, 'id'>[]>`
    select queue_groups.id
    from unnest(${receipts.map(({ id }) => id)}::bigint[],
      ${receipts.map(({ claims }) => claims)}::int[]) as receipt (id, claims)
    join queue_groups on queue_groups.id = any(array[receipt.id])
    where queue_groups.claims = receipt.claims and is_claimed and visible_at > clock_timestamp()`;
}
