import type { JsonObject } from '#shared/domain/json.ts';
import { badRequest, type Refusal, refusal } from '../../refusal.ts';
import { goText } from '../go-text.ts';

const answer = Symbol('why a patch cannot be merged');

/** No field of a patched object is ever taken for one. */
export type Fault = { readonly [answer]: Refusal };

export function isFault(value: unknown): value is Fault {
  return typeof value === 'object' && value !== null && answer in value;
}

export function answerTo(fault: Fault): Refusal {
  return fault[answer];
}

function faultOf(refused: Refusal): Fault {
  return { [answer]: refused };
}

/** The real server takes most of them for its own fault. */
export function failed(message: string): Fault {
  return faultOf(refusal(500, { message }));
}

export function malformed(what: 'primitive list' | 'retainKeys' | 'setElementOrder list'): Fault {
  return faultOf(badRequest(`invalid patch format of ${what}`));
}

export function listOfLists(): Fault {
  const message = 'the server rejected our request due to an error in our request';
  return faultOf(refusal(422, { reason: 'Invalid', message, details: {} }));
}

export function keyless(item: JsonObject, mergeKey: string): Fault {
  return failed(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

export function unknownDirective(directive: string, item: JsonObject): Fault {
  return failed(`unknown patch type: ${directive} in map: ${goText(item)}`);
}

export function unexpected(expected: string, actual: string): Fault {
  return failed(`expected a ${expected}, but received a ${actual}`);
}
