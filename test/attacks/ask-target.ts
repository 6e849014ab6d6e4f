import { request } from 'node:https';
import type { Post } from './admit.ts';

export type Target = {
  /** Of the webhook server, without a path. */
  readonly url: string;
  /** PEM; what is trusted anyway without it. */
  readonly ca: string | undefined;
  /** By which name its certificate is checked, if that is not the host of the URL. */
  readonly servername: string | undefined;
};

const patienceMs = 30_000;

/** As an API server calls a webhook. */
export function postTo({ url, ca, servername }: Target): Post {
  return (path, review) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(review);
      const sent = request(
        new URL(`${path}?timeout=10s`, url),
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
          timeout: patienceMs,
          ...(ca === undefined ? {} : { ca }),
          ...(servername === undefined ? {} : { servername }),
        },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('error', reject);
          answer.on('end', () =>
            resolve(new Response(Buffer.concat(parts), { status: answer.statusCode ?? 500 })),
          );
        },
      );
      sent.on('timeout', () => sent.destroy(new Error('it is too slow')));
      sent.on('error', reject);
      sent.end(body);
    });
}

/** As before several replicas: of the two calls of a review each goes to another one, and the next review begins where the last ended. */
export function inTurns(posts: readonly Post[]): Post {
  let turn = 0;
  return (path, review) => {
    const { length } = posts;
    const post = posts[(turn + Math.floor(turn / length)) % length];
    turn += 1;
    if (post === undefined) throw new Error('there is no target');
    return post(path, review);
  };
}
