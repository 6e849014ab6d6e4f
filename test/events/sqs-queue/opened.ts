import type { Queue } from '#events/queue.ts';
import { openSqs, type Sqs } from '#events/sqs-queue/sqs.ts';
import { openSqsQueue, type SqsQueueOptions } from '#events/sqs-queue/sqs-queue.ts';
import {
  type OutboxInMemory,
  outboxInMemory,
} from '#infra/emulator/testing/queue/outbox-in-memory.ts';
import { type SqsServer, startSqs } from './server.ts';

export const functions = ['one', 'two', 'three'] as const;

export type Opened = {
  readonly queue: Queue;
  readonly outbox: OutboxInMemory;
  readonly sqs: Sqs;
  readonly prefix: string;
  readonly now: () => number;
  readonly troubles: readonly unknown[];
};

export type SqsStage = {
  readonly server: SqsServer;
  readonly sqs: Sqs;
  /** A queue of its own, on SQS as it is or as `through` makes it. */
  open(through?: (sqs: Sqs) => Sqs, more?: Pick<SqsQueueOptions, 'lot'>): Promise<Opened>;
  close(): Promise<void>;
};

export async function openSqsStage(): Promise<SqsStage> {
  const server = await startSqs();
  const sqs = openSqs(server.settings);
  const queues: Queue[] = [];
  return {
    ...{ server, sqs },
    async open(through = (same) => same, more = {}) {
      const prefix = `gatehouse-case-${queues.length + 1}`;
      await server.createQueues(prefix, functions);
      const { now } = server;
      const outbox = outboxInMemory({ now });
      const own = through(sqs);
      const troubles: unknown[] = [];
      const onTrouble = (cause: unknown) => void troubles.push(cause);
      const parts = { sqs: own, prefix, functions, outbox, now, wallNow: now, after, onTrouble };
      const queue = openSqsQueue({ ...parts, ...more, pollSeconds: 1 });
      queues.push(queue);
      return { queue, outbox, sqs: own, prefix, now, troubles };
    },
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
      sqs.close();
      await server.stop();
    },
  };
}

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
