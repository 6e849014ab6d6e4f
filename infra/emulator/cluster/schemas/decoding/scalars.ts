import type { Json } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { goName } from '../link.ts';
import { type Findings, mismatch, type Place } from './findings.ts';
import { goKind, goType } from './go-type.ts';
import { microsOf, secondsOf } from './moments.ts';
import { canonical, parseQuantity, quantityPattern } from './quantity.ts';

export function scalarOf(value: Json, schema: Schema, at: Place): Json {
  if (schema[goName] === 'resource.Quantity') return quantity(value, at.found);
  if (schema['x-kubernetes-int-or-string'] === true && typeof value === 'string') return value;
  if (schema['x-kubernetes-int-or-string'] === true || schema.type === 'integer')
    return whole(value, schema, at);
  const zero = zeros[schema.type ?? ''];
  if (value === null) return zero ?? null;
  if (typeof value !== typeof zero) return wrong(value, schema, at);
  return typeof value === 'string' ? text(value, schema, at.found) : value;
}

const zeros: Readonly<Record<string, Json>> = { string: '', boolean: false, number: 0 };

function quantity(value: Json, found: Findings): Json {
  if (value === null) return '0';
  const parsed =
    typeof value === 'string' || typeof value === 'number'
      ? parseQuantity(String(value))
      : undefined;
  if (parsed !== undefined) return canonical(parsed);
  found.wrong ??= quantityPattern;
  return null;
}

function whole(value: Json, schema: Schema, at: Place): Json {
  if (value === null) return 0;
  if (typeof value !== 'number') return wrong(value, schema, at);
  const limit = goType(schema) === 'int32' ? 2 ** 31 : 2 ** 63;
  if (Number.isInteger(value) && value >= -limit && value < limit) return value;
  mismatch(at, goType(schema), `number ${value}`);
  return null;
}

function text(value: string, schema: Schema, found: Findings): Json {
  if (schema.format === 'byte') return base64(value, found);
  if (schema[goName] === 'v1.Time') return moment(secondsOf(value), found);
  if (schema[goName] === 'v1.MicroTime') return moment(microsOf(value), found);
  return value;
}

function moment(read: ReturnType<typeof secondsOf>, found: Findings): Json {
  if (read.ok) return read.text;
  found.wrong ??= read.why;
  return null;
}

/** Line ends may stand anywhere; a quantum that is not complete is told by its first byte. */
function base64(value: string, found: Findings): Json {
  const stated = value.replaceAll(/[\r\n]/g, '');
  const strange = stated.search(/[^A-Za-z0-9+/=]|=(?!=?$)/);
  const at =
    strange >= 0 ? strange : stated.length % 4 === 0 ? -1 : stated.length - (stated.length % 4);
  if (at >= 0) found.wrong ??= `illegal base64 data at input byte ${at}`;
  return stated;
}

function wrong(value: Json, schema: Schema, at: Place): Json {
  mismatch(at, goType(schema), goKind(value));
  return null;
}
