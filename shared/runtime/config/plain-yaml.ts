/**
 * Settings as people write them: maps and lists by indentation, a scalar a line. YAML's own reader takes 10 ms of a
 * bundle's cold start to load and to run; this one takes none, and leaves whatever it does not know for certain to it.
 */
export function plainYaml(text: string): unknown {
  if (/[^\n -~]/.test(text)) return undefined;
  const lines: Line[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (/^ *(#|$)/.test(line) || (index === 0 && line === '---')) continue;
    const content = line.trimStart();
    lines.push({ indent: line.length - content.length, content });
  }
  const [first] = lines;
  if (first === undefined) return undefined;
  const whole = block({ lines, at: 0 }, first.indent);
  return whole === unsure || whole.next.at < lines.length ? undefined : whole.value;
}

type Line = { readonly indent: number; readonly content: string };
type Reading = { readonly lines: readonly Line[]; readonly at: number };
type Read = { readonly value: unknown; readonly next: Reading };

const unsure = Symbol('left to YAML');
type Unsure = typeof unsure;

function block(reading: Reading, indent: number): Read | Unsure {
  const isList = reading.lines[reading.at]?.content.startsWith('- ') === true;
  return isList ? list(reading, indent) : map(reading, indent);
}

function list(reading: Reading, indent: number): Read | Unsure {
  const value: unknown[] = [];
  let next = reading;
  for (let line = next.lines[next.at]; line?.indent === indent; line = next.lines[next.at]) {
    if (!line.content.startsWith('- ')) break;
    const item = itemOf(next, line);
    if (item === unsure) return unsure;
    value.push(item.value);
    next = item.next;
  }
  return endsAt(next, indent) ? { value, next } : unsure;
}

/** A map in a list stands behind its dash, which counts as indentation. */
function itemOf({ lines, at }: Reading, line: Line): Read | Unsure {
  const content = line.content.slice(2);
  const value = scalar(content);
  if (value !== unsure) return { value, next: { lines, at: at + 1 } };
  if (entry.exec(content) === null) return unsure;
  const inner = { indent: line.indent + 2, content };
  return map({ lines: lines.with(at, inner), at }, inner.indent);
}

const entry = /^([A-Za-z][\w./-]*):(?: +(.*))?$/;
const noKey = /^(null|true|false)$/i;

function map(reading: Reading, indent: number): Read | Unsure {
  const value: Record<string, unknown> = {};
  let next = reading;
  for (let line = next.lines[next.at]; line?.indent === indent; line = next.lines[next.at]) {
    const [, key, stated = ''] = entry.exec(line.content) ?? [];
    if (key === undefined || noKey.test(key) || Object.hasOwn(value, key)) return unsure;
    const below = { ...next, at: next.at + 1 };
    const held = /^(#.*)?$/.test(stated) ? under(below, indent) : here(stated, below);
    if (held === unsure) return unsure;
    value[key] = held.value;
    next = held.next;
  }
  return endsAt(next, indent) ? { value, next } : unsure;
}

function here(stated: string, next: Reading): Read | Unsure {
  const value = scalar(stated);
  return value === unsure ? unsure : { value, next };
}

/** What stands deeper, or a list at the same depth. */
function under(next: Reading, indent: number): Read | Unsure {
  const line = next.lines[next.at];
  if (line !== undefined && line.indent > indent) return block(next, line.indent);
  if (line?.indent === indent && line.content.startsWith('- ')) return list(next, indent);
  return { value: null, next };
}

function endsAt({ lines, at }: Reading, indent: number): boolean {
  const line = lines[at];
  // A list may stand as deep as the key that it belongs to, and ends at the next key.
  return line === undefined || line.indent <= indent;
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const quoted = /^(?:"([^"\\]*)"|'([^']*)')$/;
const number = /^-?(0|[1-9]\d{0,14})(\.\d{1,6})?$/;
const duration = /^(\d+(ms|[smhd]))+$/;
const address = /^\d+(\.\d+){3}(\/\d+)?$/;
const word = /^[A-Za-z/](?:[\w./@+-]|:(?=[\w/]))*(?: [A-Za-z0-9](?:[\w./@+-]|:(?=[\w/]))*)*$/;

function scalar(stated: string): unknown {
  const text = stated.replace(/(?<!["'].*) +(#.*)?$/, '').trimEnd();
  const [, double, single] = quoted.exec(text) ?? [];
  const inQuotes = double ?? single;
  if (inQuotes !== undefined) return inQuotes;
  if (text === '{}') return {};
  return text.startsWith('[') ? flowList(text) : bare(text);
}

function bare(text: string): unknown {
  if (words.has(text)) return words.get(text);
  if (number.test(text)) return Number(text);
  const isText =
    duration.test(text) || address.test(text) || (word.test(text) && !noKey.test(text));
  return isText ? text : unsure;
}

function flowList(text: string): unknown {
  const [, inner] = /^\[ *([^[\]{}"'#]*?) *\]$/.exec(text) ?? [];
  if (inner === undefined) return unsure;
  if (inner === '') return [];
  const items = inner.split(/, */).map(scalar);
  return items.includes(unsure) ? unsure : items;
}
