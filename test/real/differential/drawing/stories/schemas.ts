import type { Json, JsonObject } from '#shared/domain/json.ts';
import type { Dice } from '../../dice.ts';

/** A schema with what definitions use most: facets, defaults, lists as sets and maps, rules. All is bounded, as rules want it. */
export function drawnSchema(dice: Dice): JsonObject {
  const spec = structure(dice, 0);
  const status = { type: 'object', properties: { count: { type: 'integer' }, phase: text(dice) } };
  return {
    type: 'object',
    properties: { spec, status },
    ...(dice.chance(0.2) && { required: ['spec'] }),
  };
}

function structure(dice: Dice, depth: number): JsonObject {
  const all: Readonly<Record<string, () => JsonObject>> = {
    text: () => text(dice),
    count: () => number(dice),
    on: () => ({ type: 'boolean', ...given(dice, [true, false]) }),
    when: () => ({
      type: 'string',
      format: dice.one([
        'date-time',
        'date',
        'duration',
        'ipv4',
        'cidr',
        'uuid',
        'byte',
        'email',
        'uri',
        'hostname',
      ]),
    }),
    list: () => list(dice),
    pairs: () => pairs(dice, depth),
    map: () => ({ type: 'object', maxProperties: 4, additionalProperties: number(dice) }),
    either: () => ({ 'x-kubernetes-int-or-string': true }),
    free: () => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    amount: () => ({ type: 'number', ...(dice.chance(0.5) && { multipleOf: 0.5 }) }),
    below: () => (depth > 1 ? number(dice) : structure(dice, depth + 1)),
  };
  const keys = Object.keys(all).filter(() => dice.chance(0.45));
  const properties = Object.fromEntries(
    keys.map((key) => [key, nullable(dice, all[key]?.() ?? {})]),
  );
  const required = keys.filter(() => dice.chance(0.15));
  const rules = rulesFor(properties, dice);
  return {
    ...{ type: 'object', properties },
    ...(required.length > 0 && { required }),
    ...(dice.chance(0.1) && { minProperties: 1 }),
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
    ...(depth > 0 && dice.chance(0.2) && { default: {} }),
  };
}

function nullable(dice: Dice, schema: JsonObject): JsonObject {
  return dice.chance(0.1) && schema['type'] !== undefined ? { ...schema, nullable: true } : schema;
}

function given(dice: Dice, values: readonly Json[]): JsonObject {
  return dice.chance(0.25) ? { default: dice.one(values) } : {};
}

function text(dice: Dice): JsonObject {
  return {
    ...{ type: 'string', maxLength: dice.one([1, 5, 64]) },
    ...dice.one<JsonObject>([
      {},
      {},
      { enum: ['a', 'b', '1'] },
      { pattern: '^[a-z0-9.]*$' },
      { minLength: 1 },
      { pattern: '^\\d+%?$', minLength: 1 },
    ]),
    ...given(dice, ['a', '1']),
  };
}

function number(dice: Dice): JsonObject {
  return {
    ...{ type: 'integer', ...dice.one<JsonObject>([{}, { format: 'int32' }, { format: 'int64' }]) },
    ...dice.one<JsonObject>([
      {},
      { minimum: 0 },
      { minimum: 0, exclusiveMinimum: true, maximum: 80 },
      { multipleOf: 2 },
      { enum: [0, 1, 80] },
    ]),
    ...given(dice, [1, 80]),
  };
}

function list(dice: Dice): JsonObject {
  const items = dice.chance(0.7) ? text(dice) : number(dice);
  return {
    ...{ type: 'array', maxItems: dice.one([1, 3]), items },
    ...dice.one<JsonObject>([
      {},
      { 'x-kubernetes-list-type': 'set' },
      { 'x-kubernetes-list-type': 'atomic' },
      { minItems: 1 },
    ]),
    ...given(dice, [['a'], []]),
  };
}

function pairs(dice: Dice, depth: number): JsonObject {
  const below = depth > 1 ? {} : { more: text(dice), deep: structure(dice, 2) };
  return {
    ...{ type: 'array', maxItems: 3 },
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', maxLength: 9 }, ...below },
    },
  };
}

type Rule = readonly [needs: string, rule: string];

const known: readonly Rule[] = [
  ['text', "!has(self.text) || self.text.startsWith('a')"],
  ['text', "!has(self.text) || self.text.matches('^[a-z]+$')"],
  ['text', "!has(self.text) || self.text != 'b'"],
  ['count', '!has(self.count) || self.count < 50'],
  ['count', 'has(self.count)'],
  ['count', '!has(self.count) || !has(oldSelf.count) || self.count >= oldSelf.count'],
  ['on', '!has(self.on) || self.on'],
  ['when', '!has(self.when) || self.when == self.when'],
  ['list', '!has(self.list) || size(self.list) < 2'],
  ['pairs', "!has(self.pairs) || self.pairs.all(each, each.name != 'a')"],
  ['pairs', '!has(self.pairs) || self.pairs.exists(each, has(each.more))'],
  ['map', '!has(self.map) || self.map.all(key, self.map[key] > 0)'],
  ['map', "!has(self.map) || !('a' in self.map)"],
  ['either', '!has(self.either) || type(self.either) == int'],
  [
    'either',
    "!has(self.either) || (type(self.either) == int ? self.either > 0 : self.either == '10%')",
  ],
  ['amount', '!has(self.amount) || self.amount > 0.5'],
  ['below', '!has(self.below) || !has(oldSelf.below) || self.below == oldSelf.below'],
  ['', 'self == oldSelf'],
];

function rulesFor(properties: JsonObject, dice: Dice): readonly JsonObject[] {
  const fitting = known.filter(([needs]) => needs === '' || Object.hasOwn(properties, needs));
  if (dice.chance(0.4) || fitting.length === 0) return [];
  return Array.from({ length: 1 + dice.below(2) }, () => {
    const [needs, rule] = dice.one(fitting);
    return {
      rule,
      ...(dice.chance(0.5) && { message: 'it is so' }),
      ...(dice.chance(0.2) && { messageExpression: "'it is ' + 'so'" }),
      ...(dice.chance(0.2) && {
        reason: dice.one([
          'FieldValueForbidden',
          'FieldValueRequired',
          'FieldValueDuplicate',
          'FieldValueInvalid',
        ]),
      }),
      ...(needs !== '' && dice.chance(0.2) && { fieldPath: `.${needs}` }),
    };
  });
}
