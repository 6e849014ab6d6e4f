type Duration = { readonly ms: number } | { readonly why: string };

const unitMs: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);
const longestMs = 2 ** 63 / 1e6;
const part = /(\d+\.?\d*|\.\d+)([^.\d]*)/y;

/** Go's `time.ParseDuration`, with its words. */
export function goDuration(stated: string): Duration {
  const unsigned = stated.replace(/^[-+]/, '');
  if (unsigned === '0') return { ms: 0 };
  const whole = { unsigned, of: `duration ${quoted(stated)}` };
  let ms = 0;
  let at = 0;
  do {
    const next = partAt(at, whole);
    if ('why' in next) return next;
    ms += next.ms;
    at = next.end;
  } while (at < unsigned.length);
  if (ms >= longestMs) return { why: `invalid ${whole.of}` };
  return { ms: stated.startsWith('-') ? -ms : ms };
}

type Whole = { readonly unsigned: string; readonly of: string };
type Part = { readonly ms: number; readonly end: number };

function partAt(at: number, { unsigned, of }: Whole): Part | { readonly why: string } {
  part.lastIndex = at;
  const [found = '', number = '', unit = ''] = part.exec(unsigned) ?? [];
  if (found === '') return { why: `invalid ${of}` };
  if (unit === '') return { why: `missing unit in ${of}` };
  const each = unitMs.get(unit);
  if (each === undefined) return { why: `unknown unit ${quoted(unit)} in ${of}` };
  return { ms: Number(number) * each, end: at + found.length };
}

function quoted(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === '\\') return `\\${character}`;
    return byte < 0x20 || byte >= 0x80 ? `\\x${byte.toString(16).padStart(2, '0')}` : character;
  });
  return `"${bytes.join('')}"`;
}
