import { isJsonObject, type Json } from '#shared/domain/json.ts';
import type { ListShape } from './shapes.ts';

const plain = /^[\w\-./: ]*$/;

/** JSON as Go writes it: three signs of HTML and two line separators are escaped. */
export function goJson(value: Json | undefined): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string' && plain.test(value)) return `"${value}"`;
  return JSON.stringify(value ?? null).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export type Misfit = { readonly misfit: string };

/** How an item of a list is named: `k:{"name":"a"}` or `v:"a"`. */
export function elementOf(list: ListShape, item: Json): string | Misfit {
  return list.keys.length === 0 ? valueElement(item) : keyElement(list, item);
}

function valueElement(item: Json): string | Misfit {
  if (item === null) {
    return { misfit: "associative list without keys has an element that's an explicit null" };
  }
  if (Array.isArray(item)) {
    return { misfit: 'not supported: associative list with lists as elements' };
  }
  if (isJsonObject(item)) {
    return { misfit: "associative list without keys has an element that's a map type" };
  }
  return `v:${goJson(item)}`;
}

function keyElement(list: ListShape, item: Json): string | Misfit {
  if (!isJsonObject(item)) {
    const what = item === null ? 'a null element' : 'non-map elements';
    return { misfit: `associative list with keys may not have ${what}` };
  }
  let text = '';
  for (const key of list.keys) {
    const value = item[key] === undefined ? list.defaults[key] : item[key];
    if (value !== undefined) text += `,${goJson(key)}:${goJson(value)}`;
  }
  return text === '' ? keyless(list) : `k:{${text.slice(1)}}`;
}

function keyless({ stated }: ListShape): Misfit {
  const names = stated.map((key) => JSON.stringify(key)).join(' ');
  return {
    misfit: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

/** As a path in a message: `.name`, `[name="a"]`, `[="a"]`. */
export function shown(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('v:')) return `[=${text(JSON.parse(rest))}]`;
  if (!element.startsWith('k:')) return `[${rest}]`;
  const keys: Readonly<Record<string, Json>> = JSON.parse(rest);
  return `[${Object.entries(keys)
    .map(([key, value]) => `${key}=${text(value)}`)
    .join(',')}]`;
}

function text(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key}=${text(inner)}`)
    .join('');
}

const kinds = ['.', 'f:', 'k:', 'v:', 'i:'];

type Sortable = { readonly element: string; readonly kind: number; readonly value: Json };

/** Names first, then keys, then values; numbers as numbers. */
export function sortedElements(elements: string[]): readonly string[] {
  if (elements.length < 2) return elements;
  // Names alone are in the order of their letters, which is found ten times as fast.
  if (elements.every(isName)) return elements.sort();
  return elements
    .map(sortable)
    .sort((one, other) => one.kind - other.kind || compareJson(one.value, other.value))
    .map(({ element }) => element);
}

function isName(element: string): boolean {
  return element === '.' || element.startsWith('f:');
}

function sortable(element: string): Sortable {
  const rest = element.slice(2);
  const value = isName(element) ? rest : JSON.parse(rest);
  return { element, kind: kinds.indexOf(element.slice(0, 2)), value };
}

function compareJson(one: Json, other: Json): number {
  const rank = rankOf(one) - rankOf(other);
  if (rank !== 0) return rank;
  if (Array.isArray(one) && Array.isArray(other)) return compareLists(one, other);
  if (isJsonObject(one) && isJsonObject(other)) {
    return compareLists(Object.entries(one).flat(), Object.entries(other).flat());
  }
  if (one === other || one === null || other === null) return 0;
  return one < other ? -1 : 1;
}

function compareLists(one: readonly Json[], other: readonly Json[]): number {
  for (let index = 0; index < Math.min(one.length, other.length); index += 1) {
    const order = compareJson(one[index] ?? null, other[index] ?? null);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

function rankOf(value: Json): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  return ['number', 'string', 'boolean', '', 'object'].indexOf(typeof value);
}
