import type { OutsideAnswer } from '#shared/domain/outside.ts';
import {
  type ReadFailure,
  type ReadUnavailable,
  readRefused,
} from '#shared/domain/registry/registry.ts';
import { secondsUntilRetry } from './retry-after.ts';

export type Answered = Extract<OutsideAnswer, { readonly kind: 'answer' }>;

export function isFailure<T extends { readonly kind: string }>(
  read: T | ReadFailure,
): read is ReadFailure {
  return ['not-found', 'refused', 'unavailable'].includes(read.kind);
}

/** What an answer without the wanted content means; the server's own words are not repeated. */
export function failureFrom({ status, headers, url }: Answered, now: number): ReadFailure {
  const about = `${new URL(url).host} answers ${status}`;
  if (status === 404) return { kind: 'not-found', about };
  if (status === 401 || status === 403) return readRefused('denied', about);
  if (status === 429) return busy(about, secondsUntilRetry(headers['retry-after'], now));
  if (status === 408 || status >= 500) {
    const afterSeconds = secondsUntilRetry(headers['retry-after'], now);
    return { kind: 'unavailable', why: 'server-error', about, afterSeconds };
  }
  return readRefused('status', about);
}

export function busy(about: string, afterSeconds: number | undefined): ReadUnavailable {
  return { kind: 'unavailable', why: 'busy', about, afterSeconds };
}
