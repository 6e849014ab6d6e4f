import type { Environment } from '@marcbachmann/cel-js';
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityPattern,
} from '../../../schemas/decoding/quantity.ts';

/** A class, since the library tells types by their constructor. */
class CelQuantity {
  readonly amount: Quantity;
  constructor(amount: Quantity) {
    this.amount = amount;
  }
}

type Q = CelQuantity;

export function registerQuantities(to: Environment): void {
  to.registerType('kubernetes.Quantity', { ctor: CelQuantity, fields: {} });
  to.registerFunction('quantity(string): kubernetes.Quantity', (text: string) => {
    const amount = parseQuantity(text);
    if (amount === undefined) throw new Error(quantityPattern);
    return new CelQuantity(amount);
  });
  to.registerFunction(
    'isQuantity(string): bool',
    (text: string) => parseQuantity(text) !== undefined,
  );
  registerComparisons(to);
  registerSums(to);
  to.registerFunction(
    'kubernetes.Quantity.isInteger(): bool',
    (one: Q) => whole(one) !== undefined,
  );
  to.registerFunction('kubernetes.Quantity.asInteger(): int', (one: Q) => {
    const value = whole(one);
    if (value === undefined || BigInt.asIntN(64, value) !== value)
      throw new Error('cannot convert value to integer');
    return value;
  });
  to.registerFunction(
    'kubernetes.Quantity.asApproximateFloat(): double',
    ({ amount }: Q) => Number(amount.digits) * 10 ** amount.exponent,
  );
}

function registerComparisons(to: Environment): void {
  const compared = (one: Q, other: Q) => compareQuantities(one.amount, other.amount);
  const type = 'kubernetes.Quantity';
  to.registerFunction(`${type}.compareTo(${type}): int`, (one: Q, other: Q) =>
    BigInt(compared(one, other)),
  );
  to.registerFunction(
    `${type}.isGreaterThan(${type}): bool`,
    (one: Q, other: Q) => compared(one, other) > 0,
  );
  to.registerFunction(
    `${type}.isLessThan(${type}): bool`,
    (one: Q, other: Q) => compared(one, other) < 0,
  );
  to.registerOperator(`${type} == ${type}`, (one: Q, other: Q) => compared(one, other) === 0);
  to.registerFunction(`sign(${type}): int`, ({ amount }: Q) =>
    BigInt(compareQuantities(amount, nothing)),
  );
}

const nothing = { digits: 0n, exponent: 0 };

function registerSums(to: Environment): void {
  const type = 'kubernetes.Quantity';
  for (const [name, sign] of [
    ['add', 1n],
    ['sub', -1n],
  ] as const) {
    to.registerFunction(
      `${type}.${name}(${type}): ${type}`,
      (one: Q, other: Q) => new CelQuantity(sum(one.amount, other.amount, sign)),
    );
    to.registerFunction(
      `${type}.${name}(int): ${type}`,
      (one: Q, digits: bigint) =>
        new CelQuantity(sum(one.amount, { ...one.amount, digits, exponent: 0 }, sign)),
    );
  }
}

function sum(one: Quantity, other: Quantity, sign: bigint): Quantity {
  const exponent = Math.min(one.exponent, other.exponent);
  const scaled = (each: Quantity) => each.digits * 10n ** BigInt(each.exponent - exponent);
  return { ...one, digits: scaled(one) + sign * scaled(other), exponent };
}

function whole({ amount: { digits, exponent } }: Q): bigint | undefined {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const step = 10n ** BigInt(-exponent);
  return digits % step === 0n ? digits / step : undefined;
}
