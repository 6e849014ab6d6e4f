import {
  anything,
  choice,
  decode,
  either,
  maybe,
  number,
  record,
  text,
} from '#shared/domain/decode.ts';
import { done, later, retry } from '#shared/domain/outcome.ts';
import type { Ran } from '../reconcile.ts';

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
const event = record({ type: text, data: maybe(anything) });
const ranType = 'function.ran.v1';

/** What a service's answer means for the message: of ours the outcome, of any other what its status says. */
export function ranFrom(answer: HttpAnswer, now: Date): Ran {
  const { status, headers, body } = answer;
  if (status >= 200 && status < 300) return outcomeIn(answer);

  const refused = decode(undecodable, parsed(body));
  if (status >= 400 && status < 500 && refused.ok) return refused.value;

  const afterSeconds = retryAfter(headers.get('retry-after'), now);
  const isBusy = status === 429 || status === 503;
  return isBusy && afterSeconds !== undefined
    ? later(afterSeconds)
    : retry(`the service answered ${status}`);
}

/** One that only speaks CloudEvents is done with the message; one that says otherwise must be understood. */
function outcomeIn(answer: HttpAnswer): Ran {
  const stated = statedOutcome(answer);
  if (stated === undefined) return done;
  const outcome = decode(ran, stated.data);
  return outcome.ok ? outcome.value : retry('the service answered with no outcome');
}

function statedOutcome({ headers, body }: HttpAnswer): { readonly data?: unknown } | undefined {
  if (headers.get('ce-type') === ranType) return { data: parsed(body) };
  if (!headers.get('content-type')?.startsWith('application/cloudevents+json')) return undefined;
  const read = decode(event, parsed(body));
  return read.ok && read.value.type === ranType ? read.value : undefined;
}

/** As long as the longest backoff: a proxy's day would be a day of deafness. */
const longestSeconds = 300;

function retryAfter(header: string | null, now: Date): number | undefined {
  const seconds = header === null ? Number.NaN : secondsIn(header, now);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), longestSeconds);
}

/** It says them, or a date. */
function secondsIn(header: string, now: Date): number {
  if (/^\d+$/.test(header)) return Number(header);
  return Math.ceil((Date.parse(header) - now.getTime()) / 1_000);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
