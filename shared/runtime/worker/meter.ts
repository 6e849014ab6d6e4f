import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { comesAgain } from '#events/kinds.ts';
import type { Depth, Queue } from '#events/queue.ts';
import { within } from '#shared/adapters/within.ts';
import type { Worked } from './working.ts';

export type WorkerMeter = { worked(worked: Worked): void };

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30, 300];

export function openWorkerMeter(registry: Registry, inFlight: () => number): WorkerMeter {
  const registers = [registry];
  const waits = new Histogram({
    name: 'gatehouse_message_wait_seconds',
    help: 'For how long messages had waited when they were received, by function.',
    labelNames: ['function'],
    buckets: seconds,
    registers,
  });
  const buried = new Counter({
    name: 'gatehouse_messages_buried_total',
    help: 'Messages that were put aside, by function and reason.',
    labelNames: ['function', 'outcome'],
    registers,
  });
  new Gauge({
    name: 'gatehouse_messages_in_flight',
    help: 'Messages that this worker has in its hands.',
    registers,
    collect() {
      this.set(inFlight());
    },
  });
  return {
    worked({ delivery, outcome }) {
      const { function: name, type, waitedMs } = delivery;
      waits.observe({ function: name }, waitedMs / 1_000);
      if (outcome === 'undecodable' || (outcome === 'give-up' && !comesAgain(type))) {
        buried.inc({ function: name, outcome });
      }
    },
  };
}

/** An answer that takes longer is none: a scrape has its own deadline, and wants the other metrics. */
const patienceMs = 2_000;

/** Asked only when somebody scrapes; while the queue is away there is nothing to see. */
export function measureDepth(registry: Registry, queue: Pick<Queue, 'depth'>): void {
  const depth = askedOnce(queue);
  const messages = 'What is on the queue, by function and state.';
  gaugeOf(
    registry,
    { name: 'messages', help: messages, labelNames: ['function', 'state'] },
    async (gauge) => {
      for (const { function: name, waiting, inFlight, dead } of await depth()) {
        gauge.set({ function: name, state: 'waiting' }, waiting);
        gauge.set({ function: name, state: 'in-flight' }, inFlight);
        gauge.set({ function: name, state: 'dead' }, dead);
      }
    },
  );
  const oldest = 'For how long the message has been waiting that waits longest, by function.';
  gaugeOf(
    registry,
    { name: 'oldest_seconds', help: oldest, labelNames: ['function'] },
    async (gauge) => {
      for (const each of await depth()) gauge.set({ function: each.function }, each.oldestSeconds);
    },
  );
}

/** One question for all gauges of a scrape. */
function askedOnce(queue: Pick<Queue, 'depth'>): () => Promise<readonly Depth[]> {
  let asked: Promise<readonly Depth[]> | undefined;
  return () => {
    asked ??= within(patienceMs, queue.depth())
      .catch(() => [])
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
}

type Stated = {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
};

function gaugeOf(
  registry: Registry,
  { name, help, labelNames }: Stated,
  fill: (gauge: Gauge) => Promise<void>,
): void {
  new Gauge({
    name: `gatehouse_queue_${name}`,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      this.reset();
      await fill(this);
    },
  });
}
