import type { Queue } from '#events/queue.ts';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { defineReconcile } from '#shared/define.ts';
import { decode } from '#shared/domain/decode.ts';
import { pods } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import { workerSettings } from '#shared/domain/worker.ts';
import type { Ports } from '#shared/ports.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { restMs } from '#shared/runtime/serving/working.ts';
import { openOutages } from '#shared/runtime/worker/outage.ts';
import { startWorker, type Worker } from '#shared/runtime/worker/worker.ts';
import { logRecorded } from '#test/support/running.ts';
import { percentile } from '../support/statistics.ts';
import { messageOf } from './messages.ts';

export type Latency = { readonly p50: number; readonly p99: number };

export type Timing = { readonly perSecond: number; readonly seconds: number };

/**
 * Milliseconds from when a message is to be sent, one by one at an even pace, to the handler that our worker calls; by
 * another process's queue as far as Postgres knows.
 */
export async function latencyOf(
  { from, to }: { readonly from: Queue; readonly to: Queue },
  { perSecond, seconds }: Timing,
): Promise<Latency> {
  const dueAt = new Map<string, number>();
  const millis: number[] = [];
  const worker = workerOn(to, (uid) => {
    millis.push(performance.now() - (dueAt.get(uid) ?? Number.NaN));
  });

  const began = performance.now();
  const sends: Promise<void>[] = [];
  for (let at = 0; at < perSecond * seconds; at += 1) {
    const due = began + (at * 1_000) / perSecond;
    await until(due);
    const message = messageOf('latency', at);
    dueAt.set(message.subject, due);
    sends.push(from.send([message]));
  }
  await Promise.all(sends);
  while (millis.length < sends.length) await until(performance.now() + 10);
  await worker.stop(10_000);
  const sorted = millis.toSorted((one, other) => one - other);
  return { p50: percentile(sorted, 50), p99: percentile(sorted, 99) };
}

/** As `serve` starts it where nobody has set anything. */
function workerOn(queue: Queue, handled: (uid: string) => void): Worker {
  const log = logRecorded();
  const settings = decode(workerSettings, undefined);
  if (!settings.ok) throw new Error('the settings of a worker have no presets');
  const { groups, visibilitySeconds } = settings.value;
  const follow = defineReconcile({
    name: 'latency',
    capability: 'bench',
    trigger: { watch: { of: pods } },
    uses: [],
    deadlineMs: 10_000,
    handler(wake) {
      if (wake.kind === 'object') handled(wake.uid);
      return done;
    },
  });
  return startWorker({
    queue,
    schedule: { add: () => Promise.reject(new Error('nothing here comes back later')) },
    outages: openOutages({
      name: 'queue',
      conditions: conditionsRecorded(),
      log,
      random: Math.random,
    }),
    run: (definition, wake, { id: eventId, stopped }) =>
      runOnce(definition, wake, { ports: {} as Ports, log, eventId, stopped }),
    members: async () => 'unfollowed',
    functions: () => [follow],
    groups,
    restMs,
    visibilityMs: visibilitySeconds * 1_000,
    random: Math.random,
    log,
    told: () => undefined,
  });
}

/** Up to a millisecond late, which is part of what is measured: to turn in circles meanwhile would take a core from Postgres. */
async function until(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
