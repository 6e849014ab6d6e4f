import type { JsonObject } from '#shared/domain/json.ts';
import { numberOf, specOf, statusOf, textOf } from '../words/edit.ts';

/** How long a deleted pod may still be there, in seconds; nought means at once. Only pods have such a time. */
export function graceSecondsOf(pod: JsonObject, stated: number | undefined): number {
  const isOver = ['Failed', 'Succeeded'].includes(textOf(statusOf(pod), 'phase'));
  if (isOver || textOf(specOf(pod), 'nodeName') === '') return 0;
  const seconds = stated ?? numberOf(specOf(pod), 'terminationGracePeriodSeconds') ?? 0;
  return seconds < 0 ? 1 : seconds;
}
