import type { Sender } from '#events/queue.ts';
import { connect, type Database, refuseAway, type Sending } from '../database/database.ts';
import { outage } from '../outage.ts';
import type { Process } from '../stage.ts';

/** A transaction of its own, with room for others before each of its statements. */
export function senderFor(database: Database, by: Process): Sender {
  return {
    async send(messages) {
      const transaction = database.open();
      connect(database, by, transaction.rollback);
      try {
        await statement(database, { by, what: `sends ${messages.length}` });
        await transaction.send(messages);
        const commit = () => commitOrFail(database, transaction);
        await statement(database, { by, what: 'commits what it sent', run: commit });
      } finally {
        transaction.rollback();
      }
    },
  };
}

type Statement = { readonly by: Process; readonly what: string; readonly run?: () => void };

function statement(database: Database, { by, what, run }: Statement): Promise<void> {
  const answer = (): void => {
    refuseAway(database);
    run?.();
  };
  return database.stage.park({ by, what, answer });
}

function commitOrFail({ faults }: Database, transaction: Sending): void {
  if (faults.strikes('transaction-fails', 0.05)) throw outage('the transaction failed');
  transaction.commit();
  if (faults.strikes('commit-unanswered', 0.05)) throw outage('committed, but unheard');
}
