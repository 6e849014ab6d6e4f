import type { Difference } from './comparing.ts';
import { lineOf, type Step } from './step.ts';

/** A request, and what came of it, as lines. */
export function told(step: Step | undefined, difference?: Difference): string {
  const lines = difference === undefined ? [] : [difference.at, difference.ours, difference.theirs];
  const [first, body] = step === undefined ? [] : [lineOf(step), step.body];
  const sent = difference === undefined && body !== undefined ? [JSON.stringify(body)] : [];
  return [...(first === undefined ? [] : [first]), ...sent, ...lines.map(textOf)].join('\n');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}
