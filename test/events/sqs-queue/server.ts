import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export type SqsServer = {
  readonly settings: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** Its clock and ours. */
  now(): number;
  advance(ms: number): void;
  /** Each with its queue of dead letters, as `render --target lambda` describes them. */
  createQueues(prefix: string, functions: readonly string[]): Promise<void>;
  stop(): Promise<void>;
};

/**
 * fauxqs in a thread of its own, whose clock can be put forward. Where it is not AWS: one message of a group a call (we ask
 * for one, `sqs-queue.test.ts`; several are handed over in `sqs-batch.test.ts`); it takes characters and lengths that AWS
 * refuses (`addresses.test.ts`, `sqs-queue.test.ts`); it moves no dead letters by itself (nor do we ask AWS to, contract:
 * redrive); it forgets duplicates when it ends (nothing here relies on it: `relay.test.ts`); names of errors vary
 * (`sqs.test.ts`). Attempt ids of receives, fair queues and the source's address are not used.
 */
export async function startSqs(): Promise<SqsServer> {
  const shared = new SharedArrayBuffer(4);
  const ahead = new Int32Array(shared);
  const thread = new Worker(new URL('./server-thread.ts', import.meta.url), { workerData: shared });
  const [port] = await once(thread, 'message');
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
    now: () => Date.now() + Atomics.load(ahead, 0),
    advance: (ms) => void Atomics.add(ahead, 0, ms),
    async createQueues(prefix, functions) {
      thread.postMessage(functions.map((name) => `${prefix}-${name}`));
      await once(thread, 'message');
    },
    async stop() {
      thread.postMessage('stop');
      await once(thread, 'exit');
    },
  };
}
