import type { SetAffected } from '#events/kinds.ts';
import type { Payload } from '#events/messages.ts';
import type { Delivery } from '#events/queue.ts';
import type { Wakeup } from '#events/schedule.ts';
import { membersOfShelf } from '#infra/emulator/world/memory/members.ts';
import { done, giveUp, later, type Outcome, retry } from '#shared/domain/outcome.ts';
import { expand } from '#shared/runtime/worker/expand.ts';
import type { Found, Member } from '#shared/runtime/worker/plan-set.ts';
import { isLook } from '../bugs.ts';
import { ask, type Database } from '../database/database.ts';
import { runOf } from '../database/ledger.ts';
import type { Dice } from '../dice.ts';
import type { Process } from '../stage.ts';
import { insist } from './insist.ts';
import { senderFor } from './sending.ts';
import { put } from './worker.ts';

type Runner = { readonly by: Process; readonly database: Database; readonly dice: Dice };
type Run = Runner & { readonly delivery: Delivery; readonly payload: Payload };

export async function run({ payload, ...held }: Run): Promise<Outcome> {
  if (payload.kind === 'set') return expandSet(payload, held);

  const { by, database, delivery } = held;
  await insist({ by, stage: database.stage }, () => beginRun(held, delivery.function, payload));
  return outcome(held);
}

/** A run begins when it reads the mirror. */
export function beginRun({ by, database }: Runner, of: string, payload: Payload): Promise<void> {
  const name = runOf(of, payload);
  return ask(database, { by, what: `runs ${name}`, run: () => database.ledger.ran(name) });
}

export function outcome({ database: { faults }, dice }: Runner): Outcome {
  if (faults.strikes('later', 0.12)) return later(1 + dice.below(8));
  if (faults.strikes('retry', 0.12)) return retry('it failed');
  return faults.strikes('buried', 0.2) ? giveUp('it cannot work') : done;
}

const pageSize = 2;

async function expandSet(set: SetAffected, held: Omit<Run, 'payload'>): Promise<Outcome> {
  const { by, database, delivery } = held;
  const { function: functionName, eventId } = delivery;
  const sender = senderFor(database, by);
  const members = (asked: SetAffected, max: number) =>
    membersFor(held, { of: functionName, asked, max });
  return insist({ by, stage: database.stage }, () =>
    expand(set, {
      ...{ functionName, eventId, attempt: delivery.attempt, members, sender, pageSize },
      schedule: { add: (wakeups) => put(held, mattering(wakeups)) },
      tell: () => undefined,
    }),
  );
}

/** Who watches the kind of its sets as well hears of each by itself: to look at those again would only take long. */
export function mattering(wakeups: readonly Wakeup[]): readonly Wakeup[] {
  return wakeups.filter((each) => !isLook(each) || each.message.function === 'reach');
}

type Asked = { readonly of: string; readonly asked: SetAffected; readonly max: number };

/** Of a set, the run begins here. */
export function membersFor({ by, database }: Runner, { of, asked, max }: Asked): Promise<Found> {
  return ask(database, {
    by,
    what: `reads who is in ${asked.namespace}`,
    run: () => {
      database.ledger.ran(runOf(of, asked));
      const { now } = database.stage;
      if (of === 'reach') return membersOfShelf(database.shelf, now)(asked, max);
      return { members: membersOf(database, asked, max), now: now(), caughtUpAt: now() };
    },
  });
}

function membersOf({ shelf }: Database, set: SetAffected, max: number): readonly Member[] {
  return [...shelf.rows.values()]
    .filter(({ resource, row }) => resource === set.resource && !row.isDeleted)
    .map(({ row }) => row)
    .filter(({ namespace, uid }) => namespace === set.namespace && uid > set.after)
    .sort((one, other) => (one.uid < other.uid ? -1 : 1))
    .slice(0, max);
}
