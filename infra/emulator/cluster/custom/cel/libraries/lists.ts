import type { Environment } from '@marcbachmann/cel-js';

type Ordered = string | number | bigint | boolean | Date;

export function registerLists(to: Environment): void {
  to.registerFunction('list<dyn>.isSorted(): bool', (list: Ordered[]) =>
    list.every((item, index) => index === 0 || (list[index - 1] ?? item) <= item),
  );
  to.registerFunction('list<dyn>.min(): dyn', (list: Ordered[]) => furthest(list, -1));
  to.registerFunction('list<dyn>.max(): dyn', (list: Ordered[]) => furthest(list, 1));
  to.registerFunction('list<dyn>.sum(): dyn', summed);
  to.registerFunction('list<dyn>.indexOf(dyn): int', (list: unknown[], item: unknown) =>
    BigInt(list.findIndex((each) => isSame(each, item))),
  );
  to.registerFunction('list<dyn>.lastIndexOf(dyn): int', (list: unknown[], item: unknown) =>
    BigInt(list.findLastIndex((each) => isSame(each, item))),
  );
}

function furthest(list: readonly Ordered[], direction: 1 | -1): Ordered {
  const [first, ...others] = list;
  if (first === undefined) throw new Error(`${direction > 0 ? 'max' : 'min'} called on empty list`);
  return others.reduce(
    (best, each) => ((direction > 0 ? each > best : each < best) ? each : best),
    first,
  );
}

function summed(list: readonly (number | bigint)[]): number | bigint {
  const whole = list.filter((each) => typeof each === 'bigint');
  if (whole.length === list.length) return whole.reduce((sum, each) => sum + each, 0n);
  return list.reduce((sum: number, each) => sum + Number(each), 0);
}

/** Numbers of different types are equal where their values are. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Map && other instanceof Map)
    return (
      one.size === other.size && [...one].every(([key, value]) => isSame(value, other.get(key)))
    );
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (isNumeric(one) && isNumeric(other)) return Number(one) === Number(other);
  return one instanceof Date && other instanceof Date
    ? one.getTime() === other.getTime()
    : one === other;
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}
