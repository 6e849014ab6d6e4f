import { openConnection } from '../support/connection.ts';
import { requestHead } from '../support/request.ts';
import { podReview } from '../support/review.ts';
import type { Served } from '../support/server.ts';
import { namespace } from './replicas.ts';

/** Of a pod with a container for each image. */
export function reviewOf(images: readonly string[]): string {
  const review = JSON.parse(podReview());
  const [container] = review.request.object.spec.containers;
  review.request.namespace = namespace;
  review.request.object.metadata.namespace = namespace;
  review.request.object.spec.containers = images.map((image, at) => ({
    ...container,
    name: `c${at}`,
    image,
  }));
  return JSON.stringify(review);
}

export type Lane = { ask(body: string): Promise<number>; close(): void };

/** One connection, one review at a time; for how long it took. A wrong answer is no slower answer. */
export async function openLane({ peer }: Served, path: string, marker: string): Promise<Lane> {
  let waiting: PromiseWithResolvers<void> | undefined;
  const connection = await openConnection(peer, {
    answered(status, body) {
      const text = body.toString('utf8');
      const { response } = status === 200 ? JSON.parse(text) : { response: {} };
      const patch = Buffer.from(response?.patch ?? '', 'base64').toString('utf8');
      if (patch.includes(marker)) waiting?.resolve();
      else waiting?.reject(new Error(`HTTP ${status}: ${text.slice(0, 500)} ${patch}`));
    },
    lost: (why) => waiting?.reject(new Error(why)),
  });
  return {
    close: connection.close,
    async ask(body) {
      const from = performance.now();
      waiting = Promise.withResolvers();
      const address = { host: peer.serverName, path, timeoutSeconds: 5 };
      connection.send(Buffer.from(requestHead(address, Buffer.byteLength(body)) + body, 'utf8'));
      await waiting.promise;
      return performance.now() - from;
    },
  };
}
