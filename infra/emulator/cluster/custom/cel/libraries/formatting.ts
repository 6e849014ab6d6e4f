import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';

/** `string.format`, with the verbs of version 2: numbers with a fraction are written as in English. */
export function formatted(text: string, values: readonly unknown[]): string {
  const rest = [...values];
  return text.replaceAll(
    /%(?:\.(\d+))?([sdfebxXo%])/g,
    (_, digits: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      if (rest.length === 0) throw wrong(`index ${values.length} out of range`);
      return worded(rest.shift(), verb, Number(digits ?? 6));
    },
  );
}

function worded(value: unknown, verb: string, digits: number): string {
  switch (verb) {
    case 'd':
      return String(wholeNumber(value, 'decimal clause can only be used on integers'));
    case 'f':
      return fraction(value, digits);
    case 'e':
      return scientific(value);
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return wholeNumber(value, 'only integers and bools can be formatted as binary').toString(2);
    case 'o':
      return wholeNumber(value, 'octal clause can only be used on integers').toString(8);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      return plain(value);
  }
}

function wrong(why: string): Error {
  return new Error(`error during formatting: ${why}`);
}

function wholeNumber(value: unknown, why: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof UnsignedInt) return value.valueOf();
  throw wrong(`${why}, was given ${typeName(value)}`);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' ? 'map' : typeof value;
}

function fraction(value: unknown, digits: number): string {
  if (typeof value !== 'number')
    throw wrong(`fixed-point clause can only be used on doubles, was given ${typeName(value)}`);
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString('en-US', places);
}

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `1.500000×10⁰³`; the digits that are asked for are taken for a width, and do nothing. */
function scientific(value: unknown): string {
  if (typeof value !== 'number')
    throw wrong(`scientific clause can only be used on doubles, was given ${typeName(value)}`);
  const [mantissa = '', sign = '+', power = ''] = value.toExponential(6).split(/e([+-])/);
  const up = [...power.padStart(2, '0')].map((digit) => raised[Number(digit)]).join('');
  return `${mantissa}×10${sign === '-' ? '⁻' : ''}${up}`;
}

function hexadecimal(value: unknown): string {
  if (typeof value === 'string' || value instanceof Uint8Array)
    return Buffer.from(value).toString('hex');
  return wholeNumber(
    value,
    'only integers, byte buffers, and strings can be formatted as hex',
  ).toString(16);
}

function plain(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return timeText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return isCollection(value) ? literal(value) : String(value);
}

/** As in RFC 3339, with no more of a second than there is. */
export function timeText(at: Date): string {
  return at.toISOString().replace(/\.?0*Z$/, 'Z');
}

function isCollection(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || value instanceof Map || value.constructor === Object;
}

/** As CEL would read it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (isCollection(value)) {
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    const pairs = entries.map(([key, each]) => `${literal(key)}:${literal(each)}`);
    return `{${pairs.toSorted().join(', ')}}`;
  }
  if (typeof value === 'string') return quoted(value);
  if (value instanceof Uint8Array) return `b${quoted(plain(value))}`;
  if (typeof value === 'number') return value.toFixed(6);
  if (value instanceof Date) return `timestamp(${quoted(timeText(value))})`;
  return value instanceof Duration ? `duration(${quoted(String(value))})` : plain(value);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

export function quoted(text: string): string {
  return `"${[...text].map((rune) => escapes.get(rune) ?? rune).join('')}"`;
}
