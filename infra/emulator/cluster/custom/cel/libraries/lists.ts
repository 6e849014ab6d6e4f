import type { Environment } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { inGo } from '../parsing.ts';
import { ofOneVariable, type Stated } from './macros/macro.ts';

type Ordered = string | number | bigint | boolean | Date | UnsignedInt | Duration;

/** The receiver of `lists.range(…)`: the library calls a function of a namespace on a constant. */
class ListsNamespace {}

/** Those of Kubernetes, and those of CEL in version 3. */
export function registerLists(to: Environment): void {
  to.registerFunction('list<dyn>.isSorted(): bool', (list: Ordered[]) =>
    list.every((item, index) => index === 0 || !isLess(item, list[index - 1] ?? item)),
  );
  to.registerFunction('list<dyn>.min(): dyn', (list: Ordered[]) => furthest(list, -1));
  to.registerFunction('list<dyn>.max(): dyn', (list: Ordered[]) => furthest(list, 1));
  to.registerFunction('list<dyn>.sum(): dyn', summed);
  to.registerFunction(`list<dyn>.${inGo('indexOf')}(dyn): int`, (list: unknown[], item: unknown) =>
    BigInt(list.findIndex((each) => isSame(each, item))),
  );
  to.registerFunction(
    `list<dyn>.${inGo('lastIndexOf')}(dyn): int`,
    (list: unknown[], item: unknown) => BigInt(list.findLastIndex((each) => isSame(each, item))),
  );
  registerOrders(to);
}

function registerOrders(to: Environment): void {
  to.registerType('ListsNamespace', ListsNamespace);
  to.registerConstant('lists', 'ListsNamespace', new ListsNamespace());
  to.registerFunction('ListsNamespace.range(int): list<int>', (_: unknown, size: bigint) =>
    Array.from({ length: Number(size) }, (_, at) => BigInt(at)),
  );
  to.registerFunction('list<T>.slice(int, int): list<T>', sliced);
  to.registerFunction('list<dyn>.flatten(): list<dyn>', (list: unknown[]) => list.flat());
  to.registerFunction('list<dyn>.flatten(int): list<dyn>', (list: unknown[], depth: bigint) => {
    if (depth < 0n) throw new Error('level must be non-negative');
    return list.flat(Number(depth));
  });
  to.registerFunction('list<T>.sort(): list<T>', (list: Ordered[]) => sortedBy(list, list));
  to.registerFunction('list.sortBy(ast, ast): list<dyn>', (stated: Stated) =>
    ofOneVariable({
      stated,
      held: (_, list) => (list.kind === 'list' ? list.valueType : list),
      result: (_, { receiver }) => receiver,
      evaluated: (list, key) =>
        Array.isArray(list) ? sortedBy(list, list.map(key) as Ordered[]) : [],
    }),
  );
  to.registerFunction('list<T>.reverse(): list<T>', (list: unknown[]) => list.toReversed());
  to.registerFunction('list<T>.distinct(): list<T>', (list: unknown[]) =>
    list.filter((item, at) => list.findIndex((each) => isSame(each, item)) === at),
  );
}

function sliced(list: readonly unknown[], from: bigint, to: bigint): unknown[] {
  const wrong = (why: string) => new Error(`cannot slice(${from}, ${to}), ${why}`);
  if (from < 0n || to < 0n) throw wrong('negative indexes not supported');
  if (from > to) throw wrong('start index must be less than or equal to end index');
  if (to > list.length) throw wrong(`list is length ${list.length}`);
  return list.slice(Number(from), Number(to));
}

/** In the order of the keys, one for each item. */
export function sortedBy<T>(list: readonly T[], keys: readonly Ordered[]): T[] {
  const paired = list.map((item, at) => ({ item, key: keys[at] ?? 0n }));
  const sorted = paired.toSorted(
    (a, b) => Number(isLess(b.key, a.key)) - Number(isLess(a.key, b.key)),
  );
  return sorted.map(({ item }) => item);
}

function isLess(one: Ordered, other: Ordered): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array)
    return Buffer.compare(one, other) < 0;
  return one < other;
}

function furthest(list: readonly Ordered[], direction: 1 | -1): Ordered {
  const [first, ...others] = list;
  if (first === undefined) throw new Error(`${direction > 0 ? 'max' : 'min'} called on empty list`);
  return others.reduce(
    (best, each) => ((direction > 0 ? isLess(best, each) : isLess(each, best)) ? each : best),
    first,
  );
}

type Summable = number | bigint | Duration | UnsignedInt;

function summed(list: readonly Summable[]): Summable {
  const [first] = list;
  if (first instanceof Duration) return sumOf(list.filter((each) => each instanceof Duration));
  if (first instanceof UnsignedInt)
    return new UnsignedInt(list.reduce<bigint>((sum, each) => sum + BigInt(String(each)), 0n));
  const whole = list.filter((each) => typeof each === 'bigint');
  if (whole.length === list.length) return whole.reduce((sum, each) => sum + each, 0n);
  return list.reduce<number>((sum, each) => sum + Number(each), 0);
}

const billion = 1_000_000_000n;

function sumOf(list: readonly Duration[]): Duration {
  const nanos = list.reduce((sum, each) => sum + each.seconds * billion + BigInt(each.nanos), 0n);
  return new Duration(nanos / billion, Number(nanos % billion));
}

/** Numbers of different types are equal where their values are. */
export function isSame(one: unknown, other: unknown): boolean {
  const [map, against] = [mapIn(one), mapIn(other)];
  if (map !== undefined && against !== undefined)
    return (
      map.size === against.size && [...map].every(([key, each]) => isSame(each, against.get(key)))
    );
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  if (isNumeric(one) && isNumeric(other)) return Number(one) === Number(other);
  if (isSpan(one) && isSpan(other)) return one.valueOf() === other.valueOf();
  return one === other;
}

/** A literal is a plain object. */
function mapIn(value: unknown): ReadonlyMap<unknown, unknown> | undefined {
  if (value instanceof Map) return value;
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return undefined;
  return new Map(Object.entries(value));
}

function isNumeric(value: unknown): value is number | bigint | UnsignedInt {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof UnsignedInt;
}

function isSpan(value: unknown): value is Date | Duration {
  return value instanceof Date || value instanceof Duration;
}
