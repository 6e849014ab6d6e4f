import type { Json, JsonObject } from '../json.ts';
import { below } from '../json-pointer.ts';
import type { Change } from '../verdict.ts';

export type Item = { readonly value: Json; readonly why: string };

/** At the list's end; a list that holds nothing is set as a whole, whether it is empty, null or missing. */
export function appended(
  /** A pointer. */
  list: string,
  length: number,
  items: readonly Item[],
): readonly Change[] {
  if (items.length === 0) return [];
  if (length > 0) {
    return items.map(({ value, why }, index) => ({
      op: 'add',
      path: below(list, length + index),
      value,
      why,
    }));
  }
  const value = items.map((item) => item.value);
  return [{ op: 'add', path: list, value, why: reasons(items) }];
}

export type Mark = { readonly key: string; readonly value: string; readonly why: string };

export function annotated(annotations: JsonObject, marks: readonly Mark[]): readonly Change[] {
  const missing = marks.filter(
    ({ key, value }) => !Object.hasOwn(annotations, key) || annotations[key] !== value,
  );
  if (missing.length === 0) return [];
  if (Object.keys(annotations).length > 0) {
    return missing.map(({ key, value, why }) => ({
      op: Object.hasOwn(annotations, key) ? 'replace' : 'add',
      path: below('/metadata/annotations', key),
      value,
      why,
    }));
  }
  const value = Object.fromEntries(missing.map((mark) => [mark.key, mark.value]));
  return [{ op: 'add', path: '/metadata/annotations', value, why: reasons(missing) }];
}

function reasons(items: readonly { readonly why: string }[]): string {
  return [...new Set(items.map(({ why }) => why))].join('; ');
}
