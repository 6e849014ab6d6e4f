import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type Send, urlOf } from './asking.ts';
import type { Connections } from './connections.ts';
import { followed } from './following.ts';
import { lostWords, outOfTime } from './go-words.ts';
import type { Target } from './target.ts';
import { Unreachable, unposted } from './unreachable.ts';

export type Answered =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly type: string;
      readonly body: string;
    }
  | { readonly kind: 'unreachable'; readonly why: string };

export type Sending = {
  readonly target: Target;
  readonly body: string;
  readonly timeoutSeconds: number;
};

const mostBytes = 16 * 2 ** 20;
const mostRetries = 10;

/** One POST as the API server's client sends it; words of failure are Go's. */
export async function posted(
  { target, body, timeoutSeconds }: Sending,
  connections: Connections,
): Promise<Answered> {
  const path = `${target.path}?timeout=${timeoutSeconds}s`;
  const deadline = connections.deadline(timeoutSeconds);
  try {
    return await patiently({ target, connections, deadline, method: 'POST', path, body });
  } catch (cause: unknown) {
    if (!(cause instanceof Unreachable)) throw cause;
    return { kind: 'unreachable', why: cause.message };
  }
}

/** Whoever is busy, and says for how long, is asked again within the webhook's time. */
async function patiently(send: Send): Promise<Answered> {
  for (let retries = 0; ; retries += 1) {
    const answer = await followed(send);
    const seconds = retries < mostRetries ? secondsToWait(answer) : undefined;
    if (seconds === undefined) return read(answer, send);
    answer.resume();
    await wait(seconds * 1_000, undefined, { signal: send.deadline }).catch(() => {
      throw unposted(urlOf(send), outOfTime);
    });
  }
}

function secondsToWait({ statusCode = 0, headers }: IncomingMessage): number | undefined {
  const isBusy = statusCode === 429 || (statusCode >= 500 && statusCode <= 599);
  const stated = headers['retry-after'] ?? '';
  return isBusy && /^[+-]?\d+$/.test(stated) ? Math.max(0, Number(stated)) : undefined;
}

async function read(answer: IncomingMessage, { deadline }: Send): Promise<Answered> {
  const { statusCode: status = 0, headers } = answer;
  try {
    const body = status === 101 ? '' : await bodyOf(answer);
    return { kind: 'answer', status, type: headers['content-type'] ?? '', body };
  } catch (cause: unknown) {
    const why = deadline.aborted ? outOfTime : lostWords(cause);
    throw new Unreachable(
      `unexpected error when reading response body. Please retry. Original error: ${why}`,
    );
  }
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    size += part.length;
    if (size > mostBytes) throw new Error(`an answer of more than ${mostBytes} bytes`);
    parts.push(part);
  }
  const whole = Buffer.concat(parts);
  const isZipped = answer.headers['content-encoding']?.toLowerCase() === 'gzip';
  return (isZipped ? gunzipSync(whole) : whole).toString();
}
