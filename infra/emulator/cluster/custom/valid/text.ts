import type { Schema } from '../../parts.ts';
import { broken, type Found, held, invalid, tooLong } from './found.ts';
import { matchesGo } from './go-pattern.ts';
import { numberAt, textAt } from './keyword.ts';
import type { Part } from './value.ts';

/** Only the first that does not hold is told. */
export function textFound(value: string, schema: Schema, { path }: Part): Found {
  const length = [...value].length;
  const most = numberAt(schema, 'maxLength');
  if (most !== undefined && length > most) return broken(tooLong(path, most));

  const least = numberAt(schema, 'minLength');
  if (least !== undefined && length < least)
    return broken(invalid(path, value, `${path} in body should be at least ${least} chars long`));

  const pattern = textAt(schema, 'pattern');
  if (pattern === undefined || matchesGo(pattern, value)) return held;
  return broken(invalid(path, value, `${path} in body should match '${pattern}'`));
}
