import type { Delivery, Queue } from '#events/queue.ts';
import { percentile } from '../support/statistics.ts';
import { messageOf } from './messages.ts';

export type Latency = { readonly p50: number; readonly p99: number };

export type Timing = { readonly perSecond: number; readonly seconds: number };

/** Milliseconds from the call of send to the handler, sent one by one at an even pace, by another process's queue as far as Postgres knows. */
export async function latencyOf(
  { from, to }: { readonly from: Queue; readonly to: Queue },
  { perSecond, seconds }: Timing,
): Promise<Latency> {
  const sentAt = new Map<string, number>();
  const millis: number[] = [];
  const over = new AbortController();
  const handle = (delivery: Delivery): void => {
    millis.push(performance.now() - (sentAt.get(delivery.eventId) ?? Number.NaN));
  };
  const lanes = [1, 2].map(() => work(to, over.signal, handle));

  const began = performance.now();
  const sends: Promise<void>[] = [];
  for (let at = 0; at < perSecond * seconds; at += 1) {
    await until(began + (at * 1_000) / perSecond);
    const message = messageOf('latency', at);
    sentAt.set(message.eventId, performance.now());
    sends.push(from.send([message]));
  }
  await Promise.all(sends);
  while (millis.length < sends.length) await until(performance.now() + 10);
  over.abort();
  await Promise.all(lanes);
  const sorted = millis.toSorted((one, other) => one - other);
  return { p50: percentile(sorted, 50), p99: percentile(sorted, 99) };
}

/** Receives on while what was handled is being settled, as the worker does. */
async function work(
  queue: Queue,
  signal: AbortSignal,
  handle: (delivery: Delivery) => void,
): Promise<void> {
  const settling = new Set<Promise<unknown>>();
  while (!signal.aborted) {
    const deliveries = await queue.receive({
      ...{ functions: ['latency'], max: 10, visibilityMs: 30_000, waitMs: 5_000, signal },
    });
    deliveries.forEach(handle);
    const settled = queue.settle(deliveries.map(({ receipt }) => receipt));
    settling.add(settled.finally(() => settling.delete(settled)));
  }
  await Promise.all(settling);
}

/** Timers are a millisecond late: the rest is waited out turn by turn. */
async function until(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 2) await new Promise((resolve) => setTimeout(resolve, ms - 1.5));
  while (performance.now() < at) await new Promise((resolve) => setImmediate(resolve));
}
