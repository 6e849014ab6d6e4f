import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Queue, suspectAfter } from '#events/queue.ts';
import { bodiesOf, counted, receiptsOf, type Stage, stageOn } from '../../contracts/queue/stage.ts';
import { openStage, type PostgresStage } from './stage.ts';

let stage: PostgresStage;
let cases = 0;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

async function openCase(): Promise<Stage> {
  cases += 1;
  const functions = [`a-${cases}`, `b-${cases}`, `c-${cases}`] as const;
  const queue = await stage.another();
  return stageOn({ queue, functions, advance: (ms) => stage.advance(functions, ms) });
}

/** Received so often without an end; the last time for so long. */
async function suspect(
  { queue, message, receive, advance }: Stage,
  bodies: readonly string[],
  lastMs = 1_000,
): Promise<void> {
  await queue.send(bodies.map((body) => message(body, body)));
  for (let time = 1; time <= suspectAfter; time += 1) {
    const isLast = time === suspectAfter;
    await receive({ visibilityMs: isLast ? lastMs : 1_000, max: bodies.length });
    if (!isLast) await advance(1_000);
  }
}

function sameFor(other: Queue, { functions, advance }: Stage): Stage {
  return stageOn({ queue: other, functions, advance });
}

it('waits for a suspect no longer than until another process has taken it', async () => {
  const one = await openCase();
  const other = sameFor(await stage.another(), one);
  await suspect(one, ['suspect'], 5_000);
  await one.send('slow', 'slow');
  await one.receiveOne({ visibilityMs: 60_000 });
  await one.advance(5_000);
  await one.send('h', 'healthy');
  expect(await one.receive()).toEqual([]);

  expect(await other.receiveOne()).toMatchObject({ body: 'suspect' });
  expect(bodiesOf(await one.receive())).toEqual(['healthy']);
});

it('leaves a suspect alone that it has in hand, though nobody waits for that one', async () => {
  const one = await openCase();
  await suspect(one, ['suspect']);
  await one.advance(1_000);
  expect(await one.receiveOne()).toMatchObject({ body: 'suspect' });
  await one.send('h', 'healthy');
  expect(await one.receive()).toEqual([]);
});

it('hands nothing over beside a suspect to two that ask at once and have nothing in hand', async () => {
  const one = await openCase();
  await suspect(one, ['suspect']);
  await one.advance(1_000);
  const [, second] = one.functions;
  await one.queue.send([one.message('h', 'healthy', { function: second })]);
  const { receive } = sameFor(await stage.another(), one);
  const received = await Promise.all([receive(), receive({ functions: [second] })]);
  expect(received.flat()).toHaveLength(1);
});

it('runs suspects one after another without a pause between them', async () => {
  const one = await openCase();
  const bodies = counted('suspect', 30);
  await suspect(one, bodies);
  await one.advance(1_000);
  const began = performance.now();
  let last = await one.receive();
  for (let at = 1; at < bodies.length; at += 1) {
    const waiting = one.receive({ waitMs: 20_000 });
    await pause(10);
    await one.queue.settle(receiptsOf(last));
    last = await waiting;
    expect(last).toHaveLength(1);
  }
  // A look each 250 ms would take twice as long.
  expect(performance.now() - began).toBeLessThan(4_000);
});

it('hands over what is good where what has crashed cannot be buried', async () => {
  const { queue, send, receive, advance, functions } = await openCase();
  await send('k', 'killer');
  await send('i', 'innocent');
  const [name] = functions;
  await stage.sql`
    update queue_groups set received = 10 where function = ${name} and key = 'k'`;
  await stage.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as
      $$begin raise exception 'no space left' using errcode = '53100'; end$$;
    create trigger refuse before insert on queue_dead for each row execute function refuse()`);
  expect(await receive()).toMatchObject([{ body: 'innocent', received: 1 }]);
  await stage.sql.unsafe('drop trigger refuse on queue_dead');
  await advance(60_000);
  await receive();
  expect(await queue.listDead({ function: name, max: 2 })).toMatchObject([{ body: 'killer' }]);
});
