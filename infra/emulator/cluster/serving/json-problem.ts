/**
 * Why a text is no JSON, as Go's reader says it: by the first letter that cannot stand where it stands.
 * `undefined` where nothing is wrong with it.
 */
export function jsonProblem(text: string): string | undefined {
  const reading = { text, at: 0 };
  const problem = value(reading, 'looking for beginning of value');
  if (problem !== undefined) return problem;
  const next = skipped(reading);
  return next === '' ? undefined : invalid(next, 'after top-level value');
}

type Reading = { readonly text: string; at: number };

const cut = 'unexpected end of JSON input';

function invalid(letter: string, where: string): string {
  const shown = letter === "'" ? "'\\''" : letter === '"' ? `'"'` : quoted(letter);
  return letter === '' ? cut : `invalid character ${shown} ${where}`;
}

/** A letter beyond ASCII is read byte by byte. */
function quoted(letter: string): string {
  const [byte = 0] = Buffer.from(letter);
  const sign = byte < 128 ? letter : String.fromCharCode(byte);
  const told = JSON.stringify(sign)
    .slice(1, -1)
    .replace(/^\\u00/, '\\x');
  return `'${told}'`;
}

/** The next letter that means something; none is there at the end. */
function skipped(reading: Reading): string {
  while (/[ \t\r\n]/.test(reading.text[reading.at] ?? '')) reading.at += 1;
  return reading.text[reading.at] ?? '';
}

function value(reading: Reading, where: string): string | undefined {
  const letter = skipped(reading);
  if (letter === '{') return members(reading, ofObject);
  if (letter === '[') return members(reading, ofList);
  if (letter === '"') return string(reading);
  if (/[-0-9]/.test(letter)) return number(reading);
  const word = ['true', 'false', 'null'].find((each) => each.startsWith(letter));
  return letter === '' || word === undefined ? invalid(letter, where) : literal(reading, word);
}

type Members = {
  readonly end: string;
  /** What else than a comma may not stand after one. */
  readonly where: string;
  one(reading: Reading): string | undefined;
};

const ofObject: Members = { end: '}', where: 'after object key:value pair', one: pair };
const ofList: Members = {
  end: ']',
  where: 'after array element',
  one: (reading) => value(reading, 'looking for beginning of value'),
};

function members(reading: Reading, { end, where, one }: Members): string | undefined {
  reading.at += 1;
  if (skipped(reading) === end) return passed(reading);
  for (;;) {
    const wrong = one(reading);
    if (wrong !== undefined) return wrong;
    if (skipped(reading) === end) return passed(reading);
    const no = after(reading, ',', where);
    if (no !== undefined) return no;
  }
}

function pair(reading: Reading): string | undefined {
  const key = skipped(reading);
  if (key !== '"') return invalid(key, 'looking for beginning of object key string');
  return (
    string(reading) ??
    after(reading, ':', 'after object key') ??
    value(reading, 'looking for beginning of value')
  );
}

function after(reading: Reading, sign: string, where: string): string | undefined {
  const letter = skipped(reading);
  return letter === sign ? passed(reading) : invalid(letter, where);
}

function passed(reading: Reading): undefined {
  reading.at += 1;
}

function string(reading: Reading): string | undefined {
  for (reading.at += 1; ; reading.at += 1) {
    const letter = reading.text[reading.at] ?? '';
    if (letter === '"') return passed(reading);
    const wrong = inString(letter, reading);
    if (wrong !== undefined) return wrong;
  }
}

function inString(letter: string, reading: Reading): string | undefined {
  if (letter === '\\') return escaped(reading);
  return letter < ' ' ? invalid(letter, 'in string literal') : undefined;
}

function escaped(reading: Reading): string | undefined {
  reading.at += 1;
  const letter = reading.text[reading.at] ?? '';
  if (letter !== 'u') {
    return /["\\/bfnrt]/.test(letter) ? undefined : invalid(letter, 'in string escape code');
  }
  for (let left = 4; left > 0; left -= 1) {
    reading.at += 1;
    const digit = reading.text[reading.at] ?? '';
    if (!/[0-9a-fA-F]/.test(digit)) return invalid(digit, 'in \\u hexadecimal character escape');
  }
  return undefined;
}

function literal(reading: Reading, word: string): string | undefined {
  for (const expected of word) {
    const letter = reading.text[reading.at] ?? '';
    if (letter !== expected) return invalid(letter, `in literal ${word} (expecting '${expected}')`);
    reading.at += 1;
  }
  return undefined;
}

const numbers: readonly (readonly [RegExp, RegExp, string])[] = [
  [/-/y, /0|[1-9]\d*/y, 'in numeric literal'],
  [/\./y, /\d+/y, 'after decimal point in numeric literal'],
  [/[eE][+-]?/y, /\d+/y, 'in exponent of numeric literal'],
];

function number(reading: Reading): string | undefined {
  const takes = (what: RegExp) => {
    what.lastIndex = reading.at;
    const [found] = what.exec(reading.text) ?? [];
    reading.at += found?.length ?? 0;
    return found !== undefined;
  };
  for (const [mark, digits, where] of numbers) {
    const isWhole = mark.source === '-';
    if (!takes(mark) && !isWhole) continue;
    if (!takes(digits)) return invalid(reading.text[reading.at] ?? '', where);
  }
  return undefined;
}
