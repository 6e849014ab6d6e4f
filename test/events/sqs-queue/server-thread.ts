import { parentPort, workerData } from 'node:worker_threads';
import type { FauxqsServer } from 'fauxqs';

/** How far the clock of this thread is ahead, in milliseconds: everything in the server asks this one. */
const ahead = new Int32Array(workerData);
const now = Date.now;
Date.now = () => now() + Atomics.load(ahead, 0);

const { startFauxqs } = await import('fauxqs');

// With another host than `localhost` its queues have addresses that no URL parser takes.
const server = await startFauxqs({ port: 0, logger: false });
parentPort?.postMessage(server.port);

parentPort?.on('message', async (asked: readonly string[] | 'stop') => {
  if (asked === 'stop') {
    await server.stop();
    parentPort?.close();
    return;
  }
  for (const name of asked) createPair(server, name);
  parentPort?.postMessage('created');
});

/** Of `infra/deploy/lambda/queues.ts`, as far as the server knows it. */
function createPair({ createQueue }: FauxqsServer, name: string): void {
  const dead = createQueue(`${name}-dead.fifo`, { attributes: { FifoQueue: 'true' } });
  const policy = { deadLetterTargetArn: dead.queueArn, maxReceiveCount: 10 };
  const attributes = { FifoQueue: 'true', RedrivePolicy: JSON.stringify(policy) };
  createQueue(`${name}.fifo`, { attributes });
}
