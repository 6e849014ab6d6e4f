import type { Row } from '#shared/domain/mirrored.ts';
import type { Followed } from './followed.ts';
import type { Transaction } from './ports.ts';
import type { Seen } from './seen.ts';
import { comparesStates } from './wakes.ts';

type Reading = { readonly withoutObjects?: boolean };

/** What the mirror has under the uids and the names of what is seen. */
export function knownOf(
  seen: readonly Seen[],
  transaction: Transaction,
  reading: Reading = {},
): Promise<readonly Row[]> {
  const named = seen.map((each) => ('object' in each ? each.object.metadata : each));
  const uids = seen.flatMap((each) => {
    if (each.kind === 'unkept') return each.uid;
    return 'object' in each ? (each.object.metadata.uid ?? '') : [];
  });
  return transaction.find({
    uids: [...new Set(uids)],
    names: named.map(({ namespace = '', name = '' }) => ({ namespace, name })),
    ...reading,
  });
}

/** Most triggers are for what is now, and where nobody is woken at all, no change has a before. */
export function asksWhatWas({ subscriptions }: Followed): boolean {
  return subscriptions.some(({ watch }) => comparesStates(watch));
}
