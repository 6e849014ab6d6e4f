import type { FieldError, Schema } from '../../parts.ts';
import { all, broken, type Found, held, invalid } from './found.ts';
import { isTrueAt, numberAt } from './keyword.ts';
import type { Part } from './value.ts';

export function numberFound(value: number, schema: Schema, { path }: Part): Found {
  const errors = [
    multipleError(value, numberAt(schema, 'multipleOf'), path),
    leastError(value, schema, path),
    mostError(value, schema, path),
  ].filter((error) => error !== undefined);
  return all([held, broken(...errors)]);
}

/** Go compares whole numbers with the whole part of what the schema states, so half is nothing. */
function multipleError(
  value: number,
  stated: number | undefined,
  path: string,
): FieldError | undefined {
  if (stated === undefined) return undefined;
  const isWhole = Number.isInteger(value);
  const factor = isWhole ? Math.trunc(stated) : stated;
  if (factor <= 0) {
    const why = `factor MultipleOf declared for ${path} must be positive: ${factor}`;
    return invalid(path, factor, why);
  }
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  const fits = isWhole ? value % factor === 0 : Math.abs(times - Math.round(times)) < 1e-9;
  return fits
    ? undefined
    : invalid(path, value, `${path} in body should be a multiple of ${factor}`);
}

function leastError(value: number, schema: Schema, path: string): FieldError | undefined {
  const stated = numberAt(schema, 'minimum');
  if (stated === undefined) return undefined;
  const least = Number.isInteger(value) ? Math.trunc(stated) : stated;
  const isExclusive = isTrueAt(schema, 'exclusiveMinimum');
  if (isExclusive ? value > least : value >= least) return undefined;
  const than = isExclusive ? 'greater than' : 'greater than or equal to';
  return invalid(path, value, `${path} in body should be ${than} ${least}`);
}

function mostError(value: number, schema: Schema, path: string): FieldError | undefined {
  const stated = numberAt(schema, 'maximum');
  if (stated === undefined) return undefined;
  const most = Number.isInteger(value) ? Math.trunc(stated) : stated;
  const isExclusive = isTrueAt(schema, 'exclusiveMaximum');
  if (isExclusive ? value < most : value <= most) return undefined;
  const than = isExclusive ? 'less than' : 'less than or equal to';
  return invalid(path, value, `${path} in body should be ${than} ${most}`);
}
