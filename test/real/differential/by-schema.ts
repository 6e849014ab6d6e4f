import type { Schema } from '#infra/emulator/cluster/parts.ts';
import { builtInSchema } from '#infra/emulator/cluster/schemas/open-schemas.ts';
import type { Json } from '#shared/domain/json.ts';
import type { Dice } from './dice.ts';
import type { Edit } from './edit.ts';
import type { Subject } from './subjects.ts';

/** Any field of a kind, with a value that may do or not. */
export function fieldOf({ self }: Subject, dice: Dice): Edit | undefined {
  const schema = builtInSchema(typeOf(self));
  if (schema === undefined) return undefined;
  const roots = ['spec', 'metadata', ...Object.keys(schema.properties ?? {})];
  const root = dice.one(
    roots.filter((key) => !['kind', 'apiVersion', 'status', 'globalDefault'].includes(key)),
  );
  const below = schema.properties?.[root];
  if (below === undefined) return undefined;
  return deeper([root], below, dice);
}

function typeOf({ apiVersion, kind }: Subject['self']) {
  const [group = '', version = ''] = apiVersion.includes('/')
    ? apiVersion.split('/')
    : ['', apiVersion];
  return { group, version, kind };
}

function deeper(at: readonly string[], schema: Schema, dice: Dice): Edit {
  const keys = Object.keys(schema.properties ?? {});
  const goes = at.length < 7 && dice.chance(0.85);
  if (goes && keys.length > 0) {
    const key = dice.one(keys);
    return deeper([...at, key], schema.properties?.[key] ?? {}, dice);
  }
  if (goes && schema.items !== undefined) return deeper([...at, '0'], schema.items, dice);
  return { at, value: drawnValue(schema, dice, 0) };
}

const texts = [
  'a',
  '',
  'A_b',
  'true',
  '-a',
  'a b',
  'a.b/c',
  '1',
  '80',
  '10%',
  '100m',
  'x'.repeat(64),
  '2030-01-01T00:00:00Z',
  '10.1.2.3',
  'https://a.example/x',
];
const numbers = [0, 1, 2, -1, 80, 65536, 2147483647];
const strangers: readonly Json[] = [null, 'x', 1, 1.5, true, [], {}, ['a'], { a: 'b' }];

/** Mostly one that does. */
export function drawnValue(schema: Schema, dice: Dice, depth: number): Json {
  if (dice.chance(0.04)) return dice.one(strangers);
  const stated = schema['enum'];
  if (Array.isArray(stated) && dice.chance(0.8)) return dice.one(stated as readonly Json[]);
  if (schema['x-kubernetes-int-or-string'] === true)
    return dice.one<Json>([0, 1, '10%', 'http', -1]);
  if (schema.type === 'string') return dice.one(texts);
  if (schema.type === 'integer' || schema.type === 'number') return dice.one(numbers);
  if (schema.type === 'boolean') return dice.chance(0.5);
  if (schema.type === 'array') return listOf(schema, dice, depth);
  return objectOf(schema, dice, depth);
}

function listOf({ items = {} }: Schema, dice: Dice, depth: number): Json {
  if (depth > 3) return [];
  return Array.from({ length: dice.below(3) }, () => drawnValue(items, dice, depth + 1));
}

function objectOf(schema: Schema, dice: Dice, depth: number): Json {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    return { [dice.one(['a', 'b', 'cpu'])]: drawnValue(additionalProperties, dice, depth + 1) };
  }
  const some = depth > 3 ? [] : Object.keys(properties).filter(() => dice.chance(0.15));
  const keys = [...new Set([...required.filter(() => dice.chance(0.9)), ...some])];
  return Object.fromEntries(
    keys.map((key) => [key, drawnValue(properties[key] ?? {}, dice, depth + 1)]),
  );
}
