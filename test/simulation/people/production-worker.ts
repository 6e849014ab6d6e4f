import type { Queue } from '#events/queue.ts';
import { defineReconcile, type ReconcileFunction } from '#shared/define.ts';
import { done } from '#shared/domain/outcome.ts';
import type { Log } from '#shared/runtime/log.ts';
import { handle } from '#shared/runtime/worker/handle.ts';
import type { Outages } from '#shared/runtime/worker/outage.ts';
import { openSettler } from '#shared/runtime/worker/settler.ts';
import type { Working } from '#shared/runtime/worker/working.ts';
import { functionNames, periodSeconds, subscriptionsOf } from '../cast.ts';
import { payloadText } from '../database/order.ts';
import { insist } from './insist.ts';
import { beginRun, mattering, membersFor, outcome } from './running.ts';
import { senderFor } from './sending.ts';
import { end, extend, put, settleOne, take, visibilityMs, type Worker } from './worker.ts';

const definitions: ReadonlyMap<string, ReconcileFunction> = new Map(
  functionNames.map((name) => {
    const subscriptions = subscriptionsOf({
      isSelected: false,
      isFanned: true,
      edition: 1,
      reaches: ['all', 'all'],
    });
    const watch = subscriptions.filter((each) => each.function === name).map((each) => each.watch);
    const trigger = name === 'tick' ? { everySeconds: periodSeconds } : { watch };
    const stated = { name, capability: 'samples', trigger, uses: [], deadlineMs: 1_000 } as const;
    return [name, defineReconcile({ ...stated, handler: () => done })];
  }),
);

/** The same hands with the handling that production has. Its timers never fire: a schedule leaves no time for them. */
export async function workAsInProduction(worker: Worker): Promise<void> {
  for (;;) {
    for (const delivery of await take(worker)) {
      const definition = definitions.get(delivery.function);
      const bare = { ...delivery, body: payloadText(delivery.body) };
      const { function: of } = delivery;
      if (definition !== undefined) await handle(bare, definition, workingFor(worker, of));
    }
  }
}

function workingFor(worker: Worker, of: string): Working {
  const { database, dice, by } = worker;
  const queue = queueFor(worker);
  return {
    queue,
    schedule: { add: (wakeups) => put(worker, mattering(wakeups)) },
    settle: openSettler(queue),
    outages: outagesFor(worker),
    run: async ({ name }, wake) => {
      await insist({ by, stage: database.stage }, () => beginRun(worker, name, wake));
      return outcome(worker);
    },
    members: (asked, max) => membersFor(worker, { of, asked, max }),
    visibilityMs,
    random: dice.next,
    log: silent,
    tellUnsent: () => {},
    told: () => {},
    ended: new AbortController().signal,
  };
}

function queueFor(worker: Worker): Queue {
  const { queue } = worker.database;
  return {
    ...queue,
    send: senderFor(worker.database, worker.by).send,
    extend: (receipt) => extend(worker, receipt),
    settle: (receipts) =>
      Promise.all(
        receipts.map((each) =>
          end(worker, { receipt: each, what: 'settles', how: settleOne(queue) }),
        ),
      ),
    release: (receipt) => end(worker, { receipt, what: 'releases', how: queue.release }),
    bury: (receipt, why) =>
      end(worker, { receipt, what: 'buries', how: (each) => queue.bury(each, why) }),
  };
}

function outagesFor({ by, database: { stage } }: Worker): Outages {
  return { through: (work) => insist({ by, stage }, work), isAway: () => false };
}

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
