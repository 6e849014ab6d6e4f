import { decode, describe } from '#shared/domain/decode.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Knobs } from './knobs.ts';
import { type Argument, type Call, type Fault, faults } from './table.ts';

/** A fault as JSON: its name, and its arguments beside it. */
export type StatedFault = { readonly name: keyof Knobs; readonly [argument: string]: unknown };

/**
 * Turns the knob that JSON names: `{ "name": "fail", "verb": "update", "code": 500, "times": 2 }`. Throws, with the words
 * for whoever wrote it, where there is no such knob or an argument is wrong; then nothing was turned.
 */
export async function applyFault(knobs: Knobs, stated: unknown): Promise<void> {
  const { call, value } = readFault(stated);
  await call.turn(knobs, value);
}

/** Throws as above, and knows nothing of the kinds and objects that there are. */
export function readFault(stated: unknown): { readonly call: Call; readonly value: unknown } {
  if (!isJsonObject(stated)) throw wrong('a fault is an object, {"name": "gone", "kind": "Pod"}');
  const { name, ...given } = stated;
  const fault = faults.find((each) => each.name === name);
  if (fault === undefined) throw noSuchFault(name);
  const decoded = decode(fault.call.decoder, given);
  if (!decoded.ok) {
    const problems = decoded.problems.map(describe);
    const about = fault.takes
      .filter(({ name }) => problems.some((problem) => problem.startsWith(`$.${name}:`)))
      .map(({ name, about }) => `${name} is ${about}`);
    const called = `it is called as ${usageOf(fault)}`;
    throw wrong([...problems, ...about, called].join('; '));
  }
  return { call: fault.call, value: decoded.value };
}

/** `fail code [verb] [kind] [times] [after]` */
export function usageOf({ name, takes }: Pick<Fault, 'name' | 'takes'>): string {
  return [name, ...takes.map(inWords)].join(' ');
}

function inWords({ name, isOptional }: Argument): string {
  return isOptional ? `[${name}]` : name;
}

function noSuchFault(name: unknown): Error {
  const known = faults.map((fault) => fault.name).join(', ');
  return wrong(
    typeof name === 'string'
      ? `no fault is called ${name}; there are ${known}`
      : `it names no fault: "name" is one of ${known}`,
  );
}

/** `fail code=500 times=2` */
export function wordsOf({ name, ...given }: JsonObject): string {
  const stated = Object.entries(given).map(([key, value]) => `${key}=${value}`);
  return [name, ...stated].join(' ');
}

function wrong(why: string): Error {
  return Object.assign(new Error(why), { name: 'FaultRefused' });
}
