import { expect, it } from 'vitest';
import { headStart } from '#shared/runtime/serving/head-start.ts';

const never = new Promise<never>(() => {});
const long = 60_000;

function starting(due: Promise<number>, mostMs = long) {
  const { promise: hasWorked, resolve: work } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const ended = headStart({ due, hasWorked, stopped: stopping.signal, mostMs });
  const isOver = () => Promise.race([ended.then(() => true), Promise.resolve(false)]);
  return { ended, isOver, work, stop: () => stopping.abort() };
}

it('a worker has a head start until something that was due is run', async () => {
  const { ended, isOver, work } = starting(Promise.resolve(3));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await isOver()).toBe(false);
  work();
  await ended;
});

it('a worker has no head start where nothing is due', async () => {
  await starting(Promise.resolve(0)).ended;
});

it('a head start ends where a run takes long, or nobody knows what is due', async () => {
  await starting(Promise.resolve(1), 20).ended;
  await starting(never, 20).ended;
});

it('a head start ends when the process is told to stop', async () => {
  const { ended, stop } = starting(never);
  stop();
  await ended;
});
