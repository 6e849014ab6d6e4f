import { messageFor, type Payload } from '#events/messages.ts';
import type { Delivery, Queue } from '#events/queue.ts';
import type { Wakeup } from '#events/schedule.ts';
import { fateOf } from '#shared/runtime/worker/fate.ts';
import { functionNames } from '../cast.ts';
import { ask, type Database } from '../database/database.ts';
import { runOf } from '../database/ledger.ts';
import { payloadOf } from '../database/order.ts';
import type { Dice } from '../dice.ts';
import type { Process } from '../stage.ts';
import { insist, rest } from './insist.ts';
import { run } from './running.ts';

export type Worker = { readonly by: Process; readonly database: Database; readonly dice: Dice };

/** One delivery in hand. */
type Held = Worker & { readonly delivery: Delivery; readonly payload: Payload };

export const visibilityMs = 15_000;

/** One hand of a worker: it takes, runs, and brings to an end. */
export async function work(worker: Worker): Promise<void> {
  for (;;) {
    for (const delivery of await take(worker)) {
      await handle({ ...worker, delivery, payload: payloadOf(delivery.body) });
    }
  }
}

function insisting<T>({ by, database }: Worker, asking: () => Promise<T>): Promise<T> {
  return insist({ by, stage: database.stage }, asking);
}

export function take(worker: Worker): Promise<readonly Delivery[]> {
  const { by, database } = worker;
  const { mayFind, nextExpiry } = database.receipts;
  const run = () => receive(worker);
  return insisting(worker, () =>
    ask(database, {
      ...{ by, what: 'receives', run },
      isReady: () => mayFind(by.name),
      wakesAt: nextExpiry,
    }),
  );
}

async function receive({ by, database, dice }: Worker): Promise<readonly Delivery[]> {
  const { queue, receipts, order, stage } = database;
  const max = 1 + dice.below(2);
  const receiving = { functions: functionNames, max, visibilityMs, waitMs: 0 };
  const deliveries = await queue.as(by.name).receive(receiving);
  for (const delivery of deliveries) {
    stage.say(`  as ${delivery.receipt}: ${runOf(delivery.function, payloadOf(delivery.body))}`);
    receipts.given(delivery, { by: by.name, visibilityMs });
    order.delivered(delivery);
  }
  if (deliveries.length === 0) receipts.foundNothing(by.name);
  return deliveries;
}

/** As DESIGN §4 has it: run, then settle, give back, bury, or put on the schedule and settle. */
async function handle(held: Held): Promise<void> {
  const { database, dice, by, delivery, payload } = held;
  const { faults, queue, stage } = database;
  const { receipt } = delivery;
  const ran = await run(held);
  if (faults.strikes('abandoned', 0.05)) return;
  if (faults.strikes('released', 0.05)) {
    return finish(held, { receipt, what: 'releases', how: queue.release });
  }
  if (faults.strikes('overslept', 0.06)) await rest(stage, by, visibilityMs + 1);
  else if (dice.chance(0.1)) await insisting(held, () => extend(held, receipt));

  const message = messageFor(delivery.function, payload, delivery.eventId);
  const fate = fateOf(ran, { message, attempt: delivery.attempt, random: dice.next() });
  if (fate.kind === 'bury') {
    const how = (each: string) => queue.bury(each, fate.why);
    return finish(held, { receipt, what: 'buries', how });
  }
  if (fate.kind === 'schedule') await insisting(held, () => put(held, [fate.wakeup]));
  return finish(held, { receipt, what: 'settles', how: settleOne(queue) });
}

export function settleOne(queue: Queue): (receipt: string) => Promise<boolean> {
  return async (receipt) => (await queue.settle([receipt]))[0] ?? false;
}

type Ending = {
  readonly receipt: string;
  readonly what: string;
  readonly how: (receipt: string) => Promise<boolean>;
};

async function finish(held: Held, ending: Ending): Promise<void> {
  await insisting(held, () => end(held, ending));
}

export function end({ by, database }: Worker, { receipt, what, how }: Ending): Promise<boolean> {
  return ask(database, {
    by,
    what: `${what} ${receipt}`,
    run: async () => {
      const isDone = await how(receipt);
      database.receipts.ended(receipt, isDone);
      database.receipts.changed();
      return isDone;
    },
  });
}

export function extend({ by, database }: Worker, receipt: string): Promise<boolean> {
  return ask(database, {
    by,
    what: `extends ${receipt}`,
    run: async () => {
      const isDone = await database.queue.extend(receipt, visibilityMs);
      database.receipts.extended(receipt, isDone, visibilityMs);
      return isDone;
    },
  });
}

/** Puts wake-ups on the schedule, each of which owes a run. */
export function put({ by, database }: Worker, asked: readonly Wakeup[]): Promise<void> {
  const wakeups = database.bug.putOff?.(asked) ?? asked;
  if (wakeups.length === 0) return Promise.resolve();
  return ask(database, {
    by,
    what: `puts on the schedule: ${wakeups.map(({ reason }) => reason).join()}`,
    run: async () => {
      await database.schedule.add(wakeups);
      for (const { message, reason } of wakeups) {
        const name = runOf(message.function, payloadOf(message.body));
        database.ledger.owe(name, 'wakeup', `it went to the schedule as ${reason}`);
      }
    },
  });
}
