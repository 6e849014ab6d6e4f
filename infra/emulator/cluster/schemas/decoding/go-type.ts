import type { Json } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { goName } from '../link.ts';

/** As Go prints the type that a schema was generated from; a named string (`v1.PullPolicy`) is a `string` here. */
export function goType(schema: Schema): string {
  const name = schema[goName];
  if (schema['x-kubernetes-int-or-string'] === true) return 'int32';
  if (name === 'v1.Time' || name === 'v1.MicroTime') return 'string';
  if (typeof name === 'string') return name;
  if (schema.type === 'array') return `[]${goType(schema.items ?? {})}`;
  if (schema.type === 'object') return mapType(goType(valuesOf(schema)));
  return scalar(schema);
}

/** Go has a name for a map of quantities. */
function mapType(values: string): string {
  return values === 'resource.Quantity' ? 'v1.ResourceList' : `map[string]${values}`;
}

export function valuesOf({ additionalProperties }: Schema): Schema {
  return typeof additionalProperties === 'object' ? additionalProperties : {};
}

function scalar({ type, format }: Schema): string {
  if (type === 'boolean') return 'bool';
  if (type === 'integer') return format === 'int32' ? 'int32' : 'int64';
  if (type === 'number') return 'float64';
  return format === 'byte' ? '[]uint8' : 'string';
}

/** `DeploymentSpec` of `v1.DeploymentSpec`. */
export function structName(schema: Schema): string {
  return String(schema[goName] ?? '').replace(/^.*\./, '');
}

/** As Go calls what stands in a body. */
export function goKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}
