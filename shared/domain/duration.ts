const perUnit: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  // U+00B5, the micro sign, and U+03BC, the Greek letter: Go reads both.
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);

/** Go's `time.Duration` counts nanoseconds in 64 bits: about 292 years. */
const longest = 2 ** 63;

const whole = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|\u03bcs|ms|s|m|h))+|0)$/;
const part = /(\d*)(\.\d*)?(ns|us|µs|\u03bcs|ms|s|m|h)/g;

/** `1h30m`, as Go writes it. */
export function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}

/** In milliseconds; what is less than a nanosecond is cut off, as Go does. */
export function parseDuration(text: string): number | undefined {
  const [, sign, parts] = whole.exec(text) ?? [];
  if (parts === undefined) return undefined;

  const nanoseconds = [...parts.matchAll(part)].reduce(
    (sum, [, digits, fraction, unit]) => sum + nanosecondsOf(digits, fraction, unit),
    0,
  );
  if (nanoseconds >= longest) return undefined;
  return sign === '-' && nanoseconds > 0 ? -nanoseconds / 1e6 : nanoseconds / 1e6;
}

function nanosecondsOf(digits = '', fraction = '', unit = ''): number {
  const each = perUnit.get(unit) ?? 0;
  const decimals = fraction.slice(1);
  // By whole numbers, as Go does it: 0.000000015 * 1e9 is less than 15.
  return Number(digits) * each + Math.trunc(Number(decimals) * (each / 10 ** decimals.length));
}
