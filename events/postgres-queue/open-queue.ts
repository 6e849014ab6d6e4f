import { inBatches } from '#shared/domain/in-batches.ts';
import type { Outgoing, Queue } from '../queue.ts';
import { refuseUnsendable, unsendable } from '../sendable.ts';
import { openBell } from './bell.ts';
import { mostBytes } from './columns.ts';
import type { Sql, TransactionSql } from './connection.ts';
import { deadLettersOn } from './dead.ts';
import { endingsOn } from './endings.ts';
import { openFloors } from './floors.ts';
import { inHandOn } from './in-hand.ts';
import { listenTo } from './listen.ts';
import { mergeWithin } from './merging.ts';
import { overviewOn } from './overview.ts';
import { purgeWaiting } from './purge.ts';
import { receiverOn } from './receive.ts';
import { functionsOf, put } from './send.ts';
import { openSleepers } from './sleepers.ts';
import { isAnybodyAsleep, tell, tellSleepers } from './telling.ts';
import { tidierOn } from './tidy.ts';

export type Opening = {
  /** Connections of its own, on which `planner` holds. Ended with the queue. */
  readonly sql: Sql;
  /** Of a fleet, what the functions' names begin with here: others' are not ours to count or to bring back. */
  readonly prefix?: string;
  /** Told of what went wrong beside the calls: nothing is lost by it. */
  readonly onTrouble?: (cause: unknown) => void;
  /** How long a look may begin where the last one found the first; then one begins at the beginning. */
  readonly floorsLastMs?: number | undefined;
};

export async function openPostgresQueue(opening: Opening): Promise<Queue> {
  const { sql, prefix = '', onTrouble = () => undefined, floorsLastMs: lastMs } = opening;
  const closing = new AbortController();
  const bell = openBell();
  const unlisten = await listenTo(sql, bell);
  const sleepers = openSleepers({ sql, onLost: () => bell.ring() });
  const tidier = tidierOn(sql, onTrouble);
  const inHand = inHandOn({ sql, onFree: () => bell.ring() });
  const endings = endingsOn({ sql, bell, inHand, onGone: tidier.moved });

  return {
    send: sendingOn({ sql, onTrouble, onSent: tidier.moved }),
    receive: receiverOn({
      ...{ sql, bell, sleepers, inHand, floors: openFloors(sql, { lastMs }) },
      ...{ closing: closing.signal, bury: endings.bury, onTrouble },
    }),
    ...endings,
    ...overviewOn(sql, prefix),
    ...deadLettersOn(sql, { prefix, whyNot: unsendable, raise: putApart }),
    purge: (functionName) => purgeWaiting(sql, functionName),
    async close() {
      closing.abort();
      await Promise.allSettled([sleepers.close(), unlisten(), tidier.done()]);
      await sql.end({ timeout: 5 });
    },
  };
}

function bytesOf(messages: readonly Outgoing[]): number {
  return messages.reduce((sum, { body }) => sum + body.length, 0);
}

type Sending = Required<Pick<Opening, 'sql' | 'onTrouble'>> & {
  readonly onSent: (count: number) => void;
};

/** Calls that come while others are under way share a transaction, one after another. */
function sendingOn({ sql, onTrouble, onSent }: Sending): Queue['send'] {
  const send = inBatches<readonly Outgoing[], true>({
    run: async (calls) => {
      const messages = calls.flat();
      // On a reserved connection `begin` and `commit` would go out with the rest, in one trip; but where that one is
      // lost, postgres.js never answers again.
      const putting = (tx: TransactionSql) =>
        Promise.all([put(tx, mergeWithin(messages), 'merged'), isAnybodyAsleep(tx)]);
      const [, isToBeTold] = await sql.begin(putting);
      // A NOTIFY in the transaction would make commits wait for each other's disk. Where it fails, they are sent all
      // the same, and whoever sleeps looks for himself after a while.
      if (isToBeTold) await tell(sql, functionsOf(messages)).catch(onTrouble);
      onSent(messages.length);
      return calls.map(() => true);
    },
    max: 50,
    weight: { of: bytesOf, most: mostBytes },
    atOnce: 2,
  });
  return async (messages) => {
    refuseUnsendable(messages);
    if (messages.length > 0) await send(messages);
  };
}

/** Told within, since these are few. */
async function putApart(tx: TransactionSql, messages: readonly Outgoing[]): Promise<void> {
  await put(tx, messages, 'apart');
  await tellSleepers(tx, functionsOf(messages));
}
