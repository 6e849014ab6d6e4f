import { sortedElements } from './elements.ts';
import type { Fields } from './fields.ts';

const ordered = new WeakSet<Fields>();

/** A set that the server itself has written: it is in order. */
export function trusted(fields: Fields): Fields {
  ordered.add(fields);
  return fields;
}

/** A part of a set is as much in order as the set. */
export function inOrderAs(whole: Fields, part: Fields): Fields {
  return ordered.has(whole) ? trusted(part) : part;
}

/** As the server writes a set; what it has written before is not looked at again. */
export function inOrder(fields: Fields): Fields {
  return ordered.has(fields) ? fields : trusted(sorted(fields));
}

/** Sorted for certain: objects without a Go type are stored with all keys in the order of their letters. */
export function sorted(fields: Fields): Fields {
  const elements = Object.keys(fields);
  if (elements.length === 0) return fields;
  const out: { [element: string]: Fields } = {};
  for (const element of sortedElements(elements)) {
    const node = fields[element];
    if (node !== undefined) out[element] = sorted(node);
  }
  return out;
}
