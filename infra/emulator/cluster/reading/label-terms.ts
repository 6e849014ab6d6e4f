import { qualifiedName } from '../kinds/words/names.ts';

/** One condition of `a=b,c!=d,e in (x,y),!f,g>1`. */
export type LabelTerm = {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';
  readonly values: readonly string[];
};

const token = /\s*(==|!=|[()!,=<>]|[^\s()!,=<>]+)/y;
const expected = 'in, notin, =, ==, !=, gt, lt';

/** In the real server's words where it cannot be read. */
export function labelTerms(text: string): readonly LabelTerm[] | string {
  const tokens = tokensOf(text);
  const terms: LabelTerm[] = [];
  for (let at = 0; at < tokens.length; ) {
    const found = tokens[at] ?? '';
    if (isSign.test(found)) return unexpected(found);
    const read = termAt(tokens, at);
    if (typeof read === 'string') return `unable to parse requirement: ${read}`;
    terms.push(read.term);
    const wrong = wrongBetween(tokens, read.next);
    if (wrong !== undefined) return wrong;
    at = read.next + 1;
  }
  return terms;
}

const isSign = /^([(),=<>]|!=)/;

function unexpected(found: string): string {
  return `found '${found}', expected: !, identifier, or 'end of string'`;
}

/** A comma, and something behind it; or the end. */
function wrongBetween(tokens: readonly string[], at: number): string | undefined {
  const [found, next] = [tokens[at], tokens[at + 1]];
  if (found === undefined) return undefined;
  if (found !== ',') return `found '${found}', expected: ',' or 'end of string'`;
  if (next !== undefined && next !== ',') return undefined;
  return `found '${next ?? ''}', expected: identifier after ','`;
}

function tokensOf(text: string): readonly string[] {
  return [...text.matchAll(new RegExp(token, 'g'))].map(([, found = '']) => found);
}

type Read = { readonly term: LabelTerm; readonly next: number } | string;

function termAt(tokens: readonly string[], at: number): Read {
  if (tokens[at] === '!') {
    const key = wrongKey(tokens[at + 1]);
    if (key !== undefined) return key;
    return { term: { key: tokens[at + 1] ?? '', operator: '!', values: [] }, next: at + 2 };
  }
  const key = tokens[at] ?? '';
  const wrong = wrongKey(key);
  if (wrong !== undefined) return wrong;
  const operator = tokens[at + 1];
  if (operator === undefined || operator === ',') {
    return { term: { key, operator: 'exists', values: [] }, next: at + 1 };
  }
  return valuedTerm(tokens, at, operator);
}

const operators: Readonly<Record<string, LabelTerm['operator']>> = {
  ...{ in: 'in', notin: 'notin', '=': 'in', '==': 'in', '!=': 'notin', '>': 'gt', '<': 'lt' },
};

function valuedTerm(tokens: readonly string[], at: number, stated: string): Read {
  const [key = '', operator] = [tokens[at], operators[stated]];
  if (operator === undefined) return `found '${stated}', expected: ${expected}`;
  if (stated === 'in' || stated === 'notin') return listedTerm(tokens, at, operator);
  const found = tokens[at + 2] ?? ',';
  if (/^[()!=<>]/.test(found)) return `found '${found}', expected: identifier`;
  const value = found === ',' ? '' : found;
  const term = { key, operator, values: [value] };
  return wrongTerm(term) ?? { term, next: at + (value === '' ? 2 : 3) };
}

function wrongTerm({ key, operator, values }: LabelTerm): string | undefined {
  const [value = ''] = values;
  const isNumeric = operator !== 'gt' && operator !== 'lt' ? true : /^-?\d+$/.test(value);
  return isNumeric
    ? wrongValue(key, values)
    : `values[0]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`;
}

function listedTerm(tokens: readonly string[], at: number, operator: LabelTerm['operator']): Read {
  if (tokens[at + 2] !== '(') return `found '${tokens[at + 2] ?? ''}' expected: '('`;
  const end = tokens.indexOf(')', at + 2);
  if (tokens.length === at + 3) return `found '', expected: ',', ')' or identifier`;
  if (end < 0) return `found '', expected: ',' or ')'`;
  const values = tokens
    .slice(at + 3, end)
    .join('')
    .split(',');
  const key = tokens[at] ?? '';
  return (
    wrongValue(key, values) ?? { term: { key, operator, values: values.toSorted() }, next: end + 1 }
  );
}

const valuePart = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

function wrongKey(key = ''): string | undefined {
  if (key === '' || /^[()!,=<>]/.test(key)) return unexpected(key);
  const complaints = qualifiedName(key);
  if (complaints.length === 0) return undefined;
  return `<nil>: Invalid value: "${key}": ${complaints.join('; ')}`;
}

function wrongValue(key: string, values: readonly string[]): string | undefined {
  const at = values.findIndex((value) => !valuePart.test(value));
  return at < 0
    ? undefined
    : `values[${at}][${key}]: Invalid value: "${values[at]}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;
}

type Labels = Readonly<Record<string, string>>;

export function meetsLabels(terms: readonly LabelTerm[], labels: Labels): boolean {
  return terms.every((term) => meets(term, labels));
}

/** A label may be called `constructor`. */
function meets({ key, operator, values }: LabelTerm, labels: Labels): boolean {
  const found = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (operator === 'in') return found !== undefined && values.includes(found);
  if (operator === 'notin') return found === undefined || !values.includes(found);
  if (operator === 'exists') return found !== undefined;
  if (operator === '!') return found === undefined;
  if (found === undefined || !/^-?\d+$/.test(found)) return false;
  return operator === 'gt' ? Number(found) > Number(values[0]) : Number(found) < Number(values[0]);
}
