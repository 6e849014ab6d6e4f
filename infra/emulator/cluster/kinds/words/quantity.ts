import { isJsonObject, type Json, type JsonObject } from '#shared/domain/json.ts';
import { type Edit, put } from './edit.ts';

/** An amount as an exact number of nano units, and the suffixes it was written in. */
export type Quantity = { readonly nano: bigint; readonly style: 'binary' | 'decimal' | 'exponent' };

const decimal: readonly string[] = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binary: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:(n|u|m|k|[MGTPE]|[KMGTPE]i)|[eE]([+-]?\d+))?$/;

/** Undefined for what is no quantity; decoders refuse it. */
export function quantityOf(value: Json | undefined): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const found = form.exec(String(value).trim());
  if (found === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = '', exponent] = found;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${whole}${fraction}` || '0');
  const nano = scaled(digits, fraction.length, { suffix, exponent });
  return { nano: sign === '-' ? -nano : nano, style: styleOf(suffix, exponent) };
}

function styleOf(suffix: string, exponent: string | undefined): Quantity['style'] {
  if (exponent !== undefined) return 'exponent';
  return suffix.endsWith('i') ? 'binary' : 'decimal';
}

type Scale = { readonly suffix: string; readonly exponent: string | undefined };

/** Rounded up to nano units, as the real one rounds. */
function scaled(digits: bigint, fraction: number, { suffix, exponent }: Scale): bigint {
  if (suffix.endsWith('i')) {
    const power = binary.indexOf(suffix);
    return ceiling(digits * 1024n ** BigInt(power) * 10n ** 9n, 10n ** BigInt(fraction));
  }
  const steps = decimal.indexOf(suffix) * 3 + Number(exponent ?? 0) - fraction;
  return steps >= 0 ? digits * 10n ** BigInt(steps) : ceiling(digits, 10n ** BigInt(-steps));
}

function ceiling(value: bigint, by: bigint): bigint {
  return value > 0n ? (value + by - 1n) / by : value / by;
}

/** In the form that the real server writes: the largest suffix that leaves no fraction. */
export function printedQuantity({ nano, style }: Quantity): string {
  if (nano === 0n) return '0';
  const whole = nano % 10n ** 9n === 0n;
  if (style === 'binary' && whole && abs(nano) >= 1024n * 10n ** 9n)
    return inBinary(nano / 10n ** 9n);
  return inDecimal(nano, style === 'exponent');
}

function inBinary(amount: bigint): string {
  const power = binary.findLastIndex((_, at) => amount % 1024n ** BigInt(at) === 0n);
  return `${amount / 1024n ** BigInt(power)}${binary[power]}`;
}

function inDecimal(nano: bigint, asExponent: boolean): string {
  const power = decimal.findLastIndex((_, at) => nano % 1000n ** BigInt(at) === 0n);
  const amount = nano / 1000n ** BigInt(power);
  const exponent = (power - 3) * 3;
  if (asExponent) return exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
  return `${amount}${decimal[power]}`;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** `1000m` is stored as `1`, and no part of a thousandth is kept. */
export function canonicalQuantity(value: Json): Json {
  const quantity = quantityOf(value);
  if (quantity === undefined) return value;
  const milli = 10n ** 6n;
  const nano = ceiling(quantity.nano, milli) * milli;
  return printedQuantity({ ...quantity, nano });
}

/** The map under `key` holds amounts. */
export function amounts(...keys: readonly string[]): Edit {
  return (object) =>
    keys.reduce((soFar, key) => {
      const part = soFar[key];
      return isJsonObject(part) ? put(soFar, key, canonical(part)) : soFar;
    }, object);
}

function canonical(part: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, canonicalQuantity(value)]),
  );
}

export function nanoOf(value: Json | undefined): bigint {
  return quantityOf(value)?.nano ?? 0n;
}
