import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { openCatchingUp } from '#shared/adapters/cluster/stream/catching-up.ts';
import type { Watching } from '#shared/domain/watched.ts';
import { added, isBatch, namesIn, streamFrom, watching } from './streaming-server.ts';

const depths = { fullBytes: 100, deepBytes: 400 };

/** Its socket has more, a hundred bytes a pull, until it is empty. */
function heldOf(bytes: number, pulls: number) {
  const state = { bytes, pulls };
  const pull = () => {
    if (state.pulls === 0) return false;
    state.pulls -= 1;
    state.bytes += 100;
    return true;
  };
  return { state, held: { behind: () => state.bytes, pull } };
}

it('reads on until it has enough, or there is nothing more', async () => {
  const [endless, short] = [heldOf(100, 99), heldOf(100, 1)];
  const catchingUp = openCatchingUp(depths);
  (await catchingUp.readOn(endless.held))();
  expect(endless.state.bytes).toBe(400);
  (await catchingUp.readOn(short.held))();
  expect(short.state.bytes).toBe(200);
});

it('takes nothing where the buffer is not full', async () => {
  const { state, held } = heldOf(99, 99);
  await openCatchingUp(depths).readOn(held);
  expect(state.bytes).toBe(99);
});

it('lets one watch at a time, and the next one once its turn is given back', async () => {
  const [one, other] = [heldOf(100, 99), heldOf(100, 99)];
  const catchingUp = openCatchingUp(depths);
  const giveBack = await catchingUp.readOn(one.held);
  (await catchingUp.readOn(other.held))();
  expect(other.state.bytes).toBe(100);
  giveBack();
  const second = await catchingUp.readOn(other.held);
  expect(other.state.bytes).toBe(400);
  // Given back twice it is not somebody else's.
  giveBack();
  const third = heldOf(100, 99);
  await catchingUp.readOn(third.held);
  expect(third.state.bytes).toBe(100);
  second();
});

const lineKiB = 16;
const filler = { x: 'x'.repeat(lineKiB * 1024) };

/** Numbered lines, all that anybody takes. */
function flood(_: unknown, response: ServerResponse): void {
  response.writeHead(200);
  let count = 0;
  const flow = () => {
    while (count < 1_000) {
      count += 1;
      if (!response.write(`${added(`n${count - 1}`, filler)}\n`)) {
        response.once('drain', flow);
        return;
      }
    }
  };
  flow();
}

async function batchOf(watch: Watching, how: 'after-a-turn' | 'at-once' = 'after-a-turn') {
  // Whatever a socket's buffer takes is there by then.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const lines = await watch.next(how === 'at-once' ? undefined : async () => undefined);
  if (!isBatch(lines)) throw new Error('the watch has ended');
  return namesIn(lines);
}

it('gives a watch that is behind more at once than its buffer holds, in order, and one watch at a time', async () => {
  const { stream } = await streamFrom(flood);
  const [one, other] = [await watching(stream), await watching(stream)];
  const first = await batchOf(one);
  const besideIt = await batchOf(other);
  const second = await batchOf(one);
  expect(first.length * lineKiB).toBeGreaterThan(400);
  expect(first.length * lineKiB).toBeLessThan(900);
  expect(besideIt.length * lineKiB).toBeLessThan(300);
  expect(second.length * lineKiB).toBeGreaterThan(400);
  const all = [...first, ...second];
  expect(all).toEqual(all.map((_, at) => `n${at}`));
  one.close();
  const afterIt = await batchOf(other);
  expect(afterIt.length * lineKiB).toBeGreaterThan(400);
});

it('gives the turn back where the watch is closed while it reads on', async () => {
  const { stream } = await streamFrom(flood);
  const [one, other] = [await watching(stream), await watching(stream)];
  await new Promise((resolve) => setTimeout(resolve, 100));
  const reading = one.next(async () => undefined);
  // It has found its buffer full by then, and waits for its socket.
  await new Promise(process.nextTick);
  one.close();
  await reading;
  expect((await batchOf(other)).length * lineKiB).toBeGreaterThan(400);
});

it('does not read on for whoever takes to pieces at once: a list that comes as a watch is followed by others', async () => {
  const { stream } = await streamFrom(flood);
  const lines = await batchOf(await watching(stream), 'at-once');
  expect(lines.length * lineKiB).toBeLessThan(300);
});
