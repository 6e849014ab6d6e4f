import { choice, decode, either, number, record, text } from '#shared/domain/decode.ts';
import { jsonIn } from '#shared/domain/json.ts';
import { done, later, retry } from '#shared/domain/outcome.ts';
import type { Ran } from '../reconcile.ts';
import { answerFromHttp } from './cloud-event.ts';

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
};

const ran = either(
  record({ kind: choice('done') }),
  record({ kind: choice('later'), afterSeconds: number }),
  record({ kind: choice('conflict', 'retry', 'give-up', 'undecodable'), why: text }),
);
const undecodable = record({ kind: choice('undecodable'), why: text });
const ranType = 'function.ran.v1';

/** What a service's answer means for the message: of ours the outcome, of any other what its status says. */
export function ranFrom(answer: HttpAnswer, now: Date): Ran {
  const { status, headers, body } = answer;
  if (status >= 200 && status < 300) return outcomeIn(answer);

  const refused = decode(undecodable, jsonIn(body));
  if (status >= 400 && status < 500 && refused.ok) return refused.value;

  const afterSeconds = retryAfter(headers.get('retry-after'), now);
  const isBusy = status === 429 || status === 503;
  return isBusy && afterSeconds !== undefined
    ? later(afterSeconds)
    : retry(`the service answered ${status}`);
}

/** One that only speaks CloudEvents is done with the message; one that says otherwise must be understood. */
function outcomeIn(answer: HttpAnswer): Ran {
  const stated = answerFromHttp(answer.headers, answer.body);
  if (stated?.type !== ranType) return done;
  const outcome = decode(ran, stated.data);
  return outcome.ok ? outcome.value : retry('the service answered with no outcome');
}

/** As long as the longest backoff: a proxy's day would be a day of deafness. */
const longestSeconds = 300;

/** What is over already is no time to wait for: without a backoff it would be asked once a second, for ever. */
function retryAfter(header: string | null, now: Date): number | undefined {
  const seconds = header === null ? Number.NaN : secondsIn(header, now);
  return seconds > 0 ? Math.min(seconds, longestSeconds) : undefined;
}

/** It says them, or a date. */
function secondsIn(header: string, now: Date): number {
  if (/^\d+$/.test(header)) return Number(header);
  return Math.ceil((Date.parse(header) - now.getTime()) / 1_000);
}
