import type { JsonObject } from '#shared/domain/json.ts';
import { compileCondition } from '#shared/runtime/admission/match-condition.ts';
import type { Decide } from '../../custom/cel/libraries/authorizer.ts';
import type { Refusal } from '../../refusal.ts';
import { forbids } from '../steps/step.ts';
import type { Asked } from './asked.ts';
import {
  type AuthorizerCondition,
  authorizerFor,
  compileWholeCondition,
} from './authorizer-condition.ts';
import type { Hook } from './hook.ts';
import type { Versioned } from './review.ts';

type Result =
  | { readonly kind: 'true' | 'false' }
  | { readonly kind: 'error'; readonly why: string };

export type Weighing = {
  readonly asked: Asked;
  readonly versioned: Versioned;
  readonly request: JsonObject;
  readonly decide: Decide;
};

/** Whether all hold. One that is false decides, whatever becomes of the others. */
export function meetsConditions(
  { conditions, isIgnored }: Hook,
  weighing: Weighing,
): boolean | Refusal {
  const results = conditions.map(({ expression }) => resultOf(expression, weighing));
  if (results.some(({ kind }) => kind === 'false')) return false;
  const errors = results.flatMap((result) => (result.kind === 'error' ? [result.why] : []));
  const [first, ...more] = errors;
  if (first === undefined) return true;
  if (isIgnored) return false;
  return forbids(weighing.asked.what, more.length === 0 ? first : `[${errors.join(', ')}]`);
}

function resultOf(expression: string, weighing: Weighing): Result {
  const { asked, versioned, request, decide } = weighing;
  const { object = null, before = null } = versioned;
  try {
    const condition = compiledOnce(expression);
    const holds = condition({ object, oldObject: before, request }, authorizerFor(asked, decide));
    return { kind: holds === true ? 'true' : 'false' };
  } catch (cause: unknown) {
    return failed(expression, cause instanceof Error ? cause.message : String(cause));
  }
}

function failed(expression: string, why: string): Result {
  const [line = ''] = why.split('\n', 1);
  const words = line
    .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())
    .replace(/^no such key: index out of bounds, index (-?\d+) .*/, 'index out of bounds: $1')
    .replace(/^integer overflow: .*/, 'integer overflow');
  return { kind: 'error', why: `expression '${expression}' resulted in error: ${words}` };
}

const compiled = new Map<string, AuthorizerCondition>();

function compiledOnce(expression: string): AuthorizerCondition {
  const found = compiled.get(expression) ?? compiledNow(expression);
  if (compiled.size > 1_000) compiled.clear();
  compiled.set(expression, found);
  return found;
}

/** The same that Gatehouse's own loop evaluates is the fast way, since it converts only what is read. */
function compiledNow(expression: string): AuthorizerCondition {
  const plain = compileCondition(expression);
  return plain.ok ? plain.holds : compileWholeCondition(expression);
}
