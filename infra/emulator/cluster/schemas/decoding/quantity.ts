/** A number with a unit, exact: `digits` times ten to the `exponent`. */
type Amount = { readonly digits: bigint; readonly exponent: number };
type Form = 'decimal' | 'binary' | 'exponent';
export type Quantity = Amount & { readonly form: Form; readonly mark: 'e' | 'E' };

const shape = /^([+-]?)(\d*)\.?(\d*)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+|)$/;
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const kibi = 1024n;

export const quantityPattern =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

export function parseQuantity(text: string): Quantity | undefined {
  const [, sign, whole = '', fraction = '', unit = ''] = shape.exec(text.trim()) ?? [];
  if (sign === undefined || `${whole}${fraction}` === '') return undefined;
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  const mark = unit.startsWith('E') ? 'E' : 'e';
  const power = binary.indexOf(unit);
  if (unit !== '' && power > 0) {
    const scaled = { digits: digits * kibi ** BigInt(power), exponent: -fraction.length };
    return { ...inNanos(scaled), form: 'binary', mark };
  }
  const isExponent = /^[eE][+-]?\d/.test(unit);
  const exponent = isExponent ? Number(unit.slice(1)) : (decimal.indexOf(unit) - 3) * 3;
  const scaled = { digits, exponent: exponent - fraction.length };
  return { ...inNanos(scaled), form: isExponent ? 'exponent' : 'decimal', mark };
}

/** Nothing is finer than a billionth; what is, is rounded away from zero. */
function inNanos({ digits, exponent }: Amount): Amount {
  if (exponent >= -9) return { digits, exponent };
  const step = 10n ** BigInt(-9 - exponent);
  const rest = digits % step;
  const away = rest === 0n ? 0n : rest > 0n ? 1n : -1n;
  return { digits: digits / step + away, exponent: -9 };
}

/** As the server writes it: the largest unit that needs no fraction. */
export function canonical(quantity: Quantity): string {
  const { digits, exponent, form, mark } = quantity;
  if (digits === 0n) return '0';
  if (form === 'binary') return inBinary(quantity) ?? inDecimal(quantity);
  if (form === 'decimal') return inDecimal(quantity);
  const { digits: kept, exponent: power } = inThousands({ digits, exponent });
  return power === 0 ? String(kept) : `${kept}${mark}${power}`;
}

function inDecimal(amount: Amount): string {
  const { digits, exponent } = inThousands(amount);
  const unit = decimal[exponent / 3 + 3];
  return unit === undefined ? `${digits * 10n ** BigInt(exponent - 18)}E` : `${digits}${unit}`;
}

function inThousands({ digits, exponent }: Amount): Amount {
  const over = ((exponent % 3) + 3) % 3;
  return withoutZeros({ digits: digits * 10n ** BigInt(over), exponent: exponent - over });
}

function withoutZeros({ digits, exponent }: Amount): Amount {
  return digits % 1000n === 0n && exponent < 18
    ? withoutZeros({ digits: digits / 1000n, exponent: exponent + 3 })
    : { digits, exponent };
}

/** Less than one Ki, or not whole, is written with a decimal unit. */
function inBinary({ digits, exponent }: Amount): string | undefined {
  const step = 10n ** BigInt(Math.abs(exponent));
  if (exponent < 0 && digits % step !== 0n) return undefined;
  const whole = exponent < 0 ? digits / step : digits * step;
  return whole > -kibi && whole < kibi ? undefined : inKibis(whole, 0);
}

function inKibis(whole: bigint, power: number): string {
  return whole % kibi === 0n && power < binary.length - 1
    ? inKibis(whole / kibi, power + 1)
    : `${whole}${binary[power] ?? ''}`;
}

export function compareQuantities(one: Amount, other: Amount): number {
  const exponent = Math.min(one.exponent, other.exponent);
  const [a, b] = [one, other].map((each) => each.digits * 10n ** BigInt(each.exponent - exponent));
  return a === undefined || b === undefined || a === b ? 0 : a < b ? -1 : 1;
}
