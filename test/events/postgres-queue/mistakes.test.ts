import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresQueue } from '#events/postgres-queue/open-queue.ts';
import { outboxOn } from '#events/postgres-queue/outbox.ts';
import { scheduleOn } from '#events/postgres-queue/schedule.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import { stageOn } from '../../contracts/queue/stage.ts';
import { themes } from '../../contracts/queue.ts';
import { bugs } from '../../simulation/bugs.ts';
import { type Mutated, type Mutation, openMutated } from './mutated.ts';
import { openStage, openTransaction, type PostgresStage } from './stage.ts';

type Probe = (mutated: Mutated) => Promise<void>;
type Mistake = readonly [string, Mutation, Probe];

let stage: PostgresStage;
let cases = 0;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** What the simulator knows of the queue and the schedule as a wrong decision, as a wrong statement. */
const mistakes: readonly Mistake[] = [
  [
    'merged-while-claimed',
    { from: '(position > queued.head or not queued.is_claimed', to: '(true' },
    contractCase('merges nothing into a message that somebody holds'),
  ],
  [
    'sequence-as-commit-order',
    { from: 'pg_advisory_xact_lock(', to: 'pg_advisory_xact_lock_shared(' },
    numbersByCommit,
  ],
  [
    'dead-letter-out-of-order',
    { from: 'set head = queue_groups.head + 1', to: 'set head = queue_groups.tail' },
    contractCase('goes on with the next of the group after bury, not with a later one'),
  ],
  [
    'expired-receipt-settles',
    { from: 'and is_claimed and visible_at > clock_timestamp()', to: 'and is_claimed' },
    contractCase('does not settle by a receipt whose visibility ran out'),
  ],
  [
    'period-overwritten-by-later',
    {
      from: "''))\n      function, key, reason,",
      to: "''))\n      function, key, 'period',",
    },
    keepsPeriods,
  ],
  [
    'suspects-in-company',
    { from: ' as is_suspect', to: ' and false as is_suspect' },
    contractCase('buries the one that kills, and none of those that were in its company'),
  ],
];

describe('the statements of the queue', () => {
  it.each(mistakes)('are found wrong with %s', async (_, mutation, probe) => {
    expect(await tried(probe, undefined)).toEqual({ broken: false, isMutated: false });
    expect(await tried(probe, mutation)).toEqual({ broken: true, isMutated: true });
  });

  it('have each wrong decision of the simulator about queue or schedule', () => {
    const decisions = Object.entries(bugs).flatMap(([name, bug]) => {
      const made = bug();
      return 'queue' in made || 'schedule' in made ? [name] : [];
    });
    expect(mistakes.map(([name]) => name).toSorted()).toEqual(decisions.toSorted());
  });
});

/** Broken is what a test says; a statement that Postgres does not understand shows nothing. */
async function tried(probe: Probe, mutation: Mutation | undefined) {
  const mutated = openMutated(stage.url, mutation);
  try {
    const broken = await probe(mutated).then(
      () => false,
      (cause: unknown) => {
        if (cause instanceof postgres.PostgresError) throw cause;
        return true;
      },
    );
    return { broken, isMutated: mutated.count() > 0 };
  } finally {
    await mutated.sql.end({ timeout: 1 });
  }
}

function contractCase(title: string): Probe {
  const found = Object.values(themes)
    .flat()
    .find((each) => each.title === title);
  if (found === undefined) throw new Error(`there is no case "${title}"`);
  return async ({ sql }) => {
    cases += 1;
    const functions = [`one-m${cases}`, `two-m${cases}`, `three-m${cases}`] as const;
    const queue = await openPostgresQueue({ sql });
    const begin = () => openTransaction(sql);
    const advance = (ms: number) => stage.advance(functions, ms);
    try {
      await found.run(stageOn({ queue, functions, advance, begin }));
    } finally {
      await queue.close();
    }
  };
}

async function numbersByCommit({ sql }: Mutated): Promise<void> {
  await stage.sql`truncate outbox`;
  const [first, second] = [
    await openTransaction(sql, outboxOn),
    await openTransaction(sql, outboxOn),
  ];
  const message = { function: 'f', group: 'g', type: 't.v1', eventId: 'e' };
  await first.send([{ ...message, body: 'commits last' }]);
  const sent = second.send([{ ...message, body: 'commits first' }]).then(() => 'sent');
  // Whoever waits for the first one's commit is behind it.
  const isBeside = await Promise.race([sent, pause(100).then(() => 'waits')]);
  if (isBeside === 'waits') await first.commit();
  await sent;
  await second.commit();
  await first.commit();
  const committed =
    isBeside === 'sent' ? ['commits first', 'commits last'] : ['commits last', 'commits first'];
  const rows = await stage.sql<{ body: string }[]>`select body from outbox order by id`;
  expect(rows.map(({ body }) => body)).toEqual(committed);
}

async function keepsPeriods({ sql }: Mutated): Promise<void> {
  await stage.sql`truncate wakeups`;
  const schedule = scheduleOn({ sql, sender: senderOn });
  const message = {
    function: 'f',
    group: 'g',
    type: 't.v1',
    body: '',
    eventId: 'e',
    mergeKey: 'period',
  };
  const movedAfter = async (seconds: number) => {
    await stage.sql`update wakeups set due_at = due_at - ${seconds} * interval '1 second'`;
    return (await schedule.moveDue(10)).count;
  };
  await schedule.setPeriods([{ message, everySeconds: 60 }]);
  expect(await movedAfter(0)).toBe(1);
  await schedule.add([{ message, reason: 'later', afterMs: 5_000 }]);
  expect([await movedAfter(5), await movedAfter(5), await movedAfter(50)]).toEqual([1, 0, 1]);
}
