import { maxReceived, suspectAfter } from '../queue.ts';
import type { Sql } from './connection.ts';
import type { Receipt } from './receipts.ts';

/** What this process has received and not ended. Of each group the last claim: the one before is worth nothing. */
export type InHand = {
  take(claimed: readonly Receipt[]): void;
  end(receipts: readonly Receipt[]): void;
  isEmpty(): boolean;
  /** The same, by the database: what ran out meanwhile is in nobody's hands. */
  isEmptyNow(): Promise<boolean>;
  /** For the suspect that has the hands for itself, or waits for that. */
  reserve(suspect: Suspect | undefined): void;
  isReserved(): boolean;
  /** By the database: there is no suspect to be left alone, or to be waited for, or nothing else in hand. */
  isOpenNow(): Promise<boolean>;
};

/** Of its group, the row. */
export type Suspect = Pick<Receipt, 'id'> & { readonly isInHand: boolean };

export type Holding = {
  readonly sql: Sql;
  /** The hands that were kept for a suspect are empty. */
  readonly onFree: () => void;
};

export function inHandOn({ sql, onFree }: Holding): InHand {
  const held = new Map<string, Receipt>();
  let suspect: Suspect | undefined;

  const drop = ({ id, claims }: Receipt): void => {
    if (held.get(id)?.claims === claims) held.delete(id);
  };
  const isEmpty = (): boolean => held.size === 0;
  const isEmptyNow = async (): Promise<boolean> => {
    if (isEmpty()) return true;
    const known = [...held.values()];
    const good = new Set((await stillHeld(sql, known)).map(({ id }) => id));
    known.filter(({ id }) => !good.has(id)).forEach(drop);
    return isEmpty();
  };
  return {
    ...{ isEmpty, isEmptyNow },
    take(claimed) {
      for (const { id, claims, since } of claimed) held.set(id, { id, claims, since });
    },
    end(receipts) {
      receipts.forEach(drop);
      if (suspect !== undefined && isEmpty()) onFree();
    },
    reserve(wanted) {
      suspect = wanted;
    },
    isReserved: () => suspect !== undefined,
    async isOpenNow() {
      if (suspect === undefined || isEmpty()) return true;
      // Somebody else may have it by now, or have ended it.
      const isGone = !suspect.isInHand && !(await isWaiting(sql, suspect));
      return isGone || isEmptyNow();
    },
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

async function isWaiting(sql: Sql, { id }: Suspect): Promise<boolean> {
  const waiting = await sql`
    select from queue_groups
    where id = ${id} and received >= ${suspectAfter} and received < ${maxReceived}
      and visible_at <= clock_timestamp()`;
  return waiting.count > 0;
}
