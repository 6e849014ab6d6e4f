import { isJsonObject } from '#shared/domain/json.ts';
import type { Schema } from '../../parts.ts';
import { type Fault, failed } from './fault.ts';

/** How a field is merged, and what is below it. */
export type Meta = {
  readonly schema: Schema | undefined;
  readonly strategy: 'merge' | 'replace' | 'none';
  readonly mergeKey: string;
};

export function metaOfMap(schema: Schema | undefined, field: string): Meta | Fault {
  const found = schema?.properties?.[field];
  if (found !== undefined) return metaOf(found, found);
  if (isJsonObject(schema?.additionalProperties)) {
    return failed('merging an object in json but data type is not struct, instead is: map');
  }
  const name = String(schema?.['x-go-name'] ?? '')
    .split('.')
    .at(-1);
  return failed(
    `unable to find api field in struct ${name} for the json field ${JSON.stringify(field)}`,
  );
}

export function metaOfList(schema: Schema | undefined, field: string): Meta | Fault {
  const found = schema?.properties?.[field];
  if (found === undefined) return metaOfMap(schema, field);
  if (found.items === undefined) return failed('expected slice or array type, but got: struct');
  return metaOf(found, found.items);
}

function metaOf(field: Schema, below: Schema): Meta {
  const strategies = (field['x-kubernetes-patch-strategy'] ?? '').split(',');
  const [strategy] = strategies.filter((name) => name !== 'retainKeys');
  return {
    schema: below,
    strategy: strategy === 'merge' || strategy === 'replace' ? strategy : 'none',
    mergeKey: field['x-kubernetes-patch-merge-key'] ?? '',
  };
}
