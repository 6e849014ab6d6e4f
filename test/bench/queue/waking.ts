import { setTimeout as pause } from 'node:timers/promises';
import type { Queue } from '#events/queue.ts';
import { percentile } from '../support/statistics.ts';
import type { Latency } from './latency.ts';
import { messageOf } from './messages.ts';

/** No look at an empty queue takes so long; the next one by itself comes after seconds. */
const asleepMs = 150;

/** Milliseconds from the call of send until a worker has it that slept: sent one by one, by another process as far as Postgres knows. */
export async function wakingOf(
  { from, to }: { readonly from: Queue; readonly to: Queue },
  sends: number,
): Promise<Latency> {
  const millis: number[] = [];
  for (let at = 0; at < sends; at += 1) {
    const receiving = { functions: ['waking'], max: 10, visibilityMs: 30_000, waitMs: 20_000 };
    const waiting = to.receive(receiving);
    await pause(asleepMs);
    const began = performance.now();
    const sent = from.send([messageOf('waking', at)]);
    const deliveries = await waiting;
    millis.push(performance.now() - began);
    await sent;
    await to.settle(deliveries.map(({ receipt }) => receipt));
  }
  const sorted = millis.toSorted((one, other) => one - other);
  return { p50: percentile(sorted, 50), p99: percentile(sorted, 99) };
}
