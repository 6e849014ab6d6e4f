import type { Environment } from '@marcbachmann/cel-js';
import { isSame } from './lists.ts';

/** The receiver of `sets.contains(…)`: the library calls a function of a namespace on a constant. */
class SetsNamespace {}

export function registerSets(to: Environment): void {
  to.registerType('SetsNamespace', SetsNamespace);
  to.registerConstant('sets', 'SetsNamespace', new SetsNamespace());
  to.registerFunction(
    'SetsNamespace.contains(list<dyn>, list<dyn>): bool',
    (_: unknown, one: unknown[], other: unknown[]) => hasAll(one, other),
  );
  to.registerFunction(
    'SetsNamespace.equivalent(list<dyn>, list<dyn>): bool',
    (_: unknown, one: unknown[], other: unknown[]) => hasAll(one, other) && hasAll(other, one),
  );
  to.registerFunction(
    'SetsNamespace.intersects(list<dyn>, list<dyn>): bool',
    (_: unknown, one: unknown[], other: unknown[]) => other.some((item) => has(one, item)),
  );
}

function hasAll(list: readonly unknown[], items: readonly unknown[]): boolean {
  return items.every((item) => has(list, item));
}

function has(list: readonly unknown[], item: unknown): boolean {
  return list.some((each) => isSame(each, item));
}
