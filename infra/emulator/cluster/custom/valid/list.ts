import { type Json, sameJson } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { all, broken, type Found, held, invalid, tooMany } from './found.ts';
import { numberAt } from './keyword.ts';
import { oldItemOf } from './old-item.ts';
import { type Part, validated } from './value.ts';

export function listFound(value: Json, schema: Schema, { path, old }: Part): Found {
  if (!Array.isArray(value)) return { errors: [], matches: 0 };
  const { items } = schema;
  const each = value.map((item: Json, index) =>
    items === undefined
      ? held
      : validated(item, items, { path: `${path}[${index}]`, old: oldItemOf(item, schema, old) }),
  );
  return all([...each, sizeFound(value, schema, path), held]);
}

function sizeFound(value: readonly Json[], schema: Schema, path: string): Found {
  const [least, most] = [numberAt(schema, 'minItems'), numberAt(schema, 'maxItems')];
  const size = value.length;
  const few = least !== undefined && size < least;
  const many = most !== undefined && size > most;
  const isTwice = schema['uniqueItems'] === true && hasTwice(value);
  return broken(
    ...(few ? [invalid(path, size, `${path} in body should have at least ${least} items`)] : []),
    ...(many ? [tooMany(path, size, most)] : []),
    ...(isTwice ? [invalid(path, '', `${path} in body shouldn't contain duplicates`)] : []),
  );
}

function hasTwice(value: readonly Json[]): boolean {
  return value.some((item, index) => value.slice(0, index).some((one) => sameJson(one, item)));
}
