import type { Json } from '#shared/domain/json.ts';

/** What kube-apiserver 1.35.4 says of a widget with this spec; nothing where it takes it. */
export const widgetCases: readonly (readonly [spec: Json, errors: readonly string[]])[] = [
  [{}, ['spec.name: Required value']],
  [
    { name: 5 },
    ['spec.name: Invalid value: "integer": spec.name in body must be of type string: "integer"'],
  ],
  [
    { name: 'a' },
    ['spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long'],
  ],
  [{ name: 'abcdefG' }, ['spec.name: Too long: may not be more than 5 bytes']],
  [
    { name: 'abc', replicas: -1 },
    [
      '.spec.replicas: Invalid value: -1: should be a non-negative integer',
      'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
    ],
  ],
  [
    { name: 'abc', replicas: 11 },
    ['spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10'],
  ],
  [
    { name: 'abc', replicas: 1.5 },
    [
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, expected int64',
      'spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number"',
    ],
  ],
  [
    { name: 'abc', replicas: '1' },
    [
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1 is of the type string, expected int64',
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
    ],
  ],
  [
    { name: 'abc', num: 0 },
    [
      'spec.num: Invalid value: 0: factor MultipleOf declared for spec.num must be positive: 0',
      'spec.num: Invalid value: 0: spec.num in body should be greater than 0',
    ],
  ],
  [
    { name: 'abc', num: 0.7 },
    ['spec.num: Invalid value: 0.7: spec.num in body should be a multiple of 0.5'],
  ],
  [
    { name: 'abc', num: 'a' },
    ['spec.num: Invalid value: "string": spec.num in body must be of type number: "string"'],
  ],
  [
    { name: 'abc', flag: 'a' },
    ['spec.flag: Invalid value: "string": spec.flag in body must be of type boolean: "string"'],
  ],
  [{ name: 'abc', en: 'c' }, ['spec.en: Unsupported value: "c": supported values: "a", "b"']],
  [
    { name: 'abc', en: 5 },
    [
      'spec.en: Invalid value: "integer": spec.en in body must be of type string: "integer"',
      'spec.en: Unsupported value: 5: supported values: "a", "b"',
    ],
  ],
  [
    { name: 'abc', port: true },
    [
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ],
  ],
  [
    { name: 'abc', port: 1.5 },
    [
      'spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"',
    ],
  ],
  [
    { name: 'abc', when: 'x' },
    ['spec.when: Invalid value: "x": spec.when in body must be of type date-time: "x"'],
  ],
  [
    { name: 'abc', mail: 'x' },
    ['spec.mail: Invalid value: "x": spec.mail in body must be of type email: "x"'],
  ],
  [{ name: 'abc', big: 99999999999 }, []],
  [{ name: 'abc', tags: ['a', 'a'] }, ['spec.tags[1]: Duplicate value: "a"']],
  [
    { name: 'abc', tags: ['a', 'b', 'c', 'd'] },
    ['spec.tags: Too many: 4: must have at most 3 items'],
  ],
  [
    { name: 'abc', tags: [] },
    ['spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items'],
  ],
  [
    { name: 'abc', tags: 'x' },
    ['spec.tags: Invalid value: "string": spec.tags in body must be of type array: "string"'],
  ],
  [
    { name: 'abc', tags: [5] },
    [
      'spec.tags[0]: Invalid value: "integer": spec.tags[0] in body must be of type string: "integer"',
    ],
  ],
  [{ name: 'abc', keyed: [{ k: 'a' }, { k: 'a' }] }, ['spec.keyed[1]: Duplicate value: {"k":"a"}']],
  [{ name: 'abc', keyed: [{}] }, ['spec.keyed[0].k: Required value']],
  [{ name: 'abc', nul: null, notnul: null }, []],
  [{ name: 'abc', flag: null, replicas: null }, []],
  [
    { name: 'abc', one: {} },
    [
      '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid',
      'spec.one.a: Required value',
    ],
  ],
  [
    { name: 'abc', one: { a: 1, b: 2 } },
    [
      '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  ],
  [
    { name: 'abc', any: {} },
    [
      '<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)',
      'spec.any.a: Required value',
    ],
  ],
  [
    { name: 'abc', not: { a: 1 } },
    ['<nil>: Invalid value: "": "spec.not" must not validate the schema (not)'],
  ],
  [
    { name: 'abc', all: { a: 1 } },
    [
      '<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf)',
      'spec.all.b: Required value',
    ],
  ],
  [
    { name: 'abc', map: {} },
    ['spec.map: Invalid value: 0: spec.map in body should have at least 1 properties'],
  ],
  [
    { name: 'abc', map: { a: 'x' } },
    ['spec.map.a: Invalid value: "string": spec.map.a in body must be of type integer: "string"'],
  ],
  [
    { name: 'abc', map: { a: 1, b: 2, c: 3 } },
    ['spec.map: Too many: 3: must have at most 2 items'],
  ],
  [{ name: 'abc', free: { a: 1 } }, []],
  [
    { name: 'abc', emb: { a: 1 } },
    ['spec.emb.apiVersion: Required value', 'spec.emb.kind: Required value'],
  ],
  [
    [],
    [
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: [] is of the type []interface {}, expected map[string]interface{}',
      'spec: Invalid value: "array": spec in body must be of type object: "array"',
    ],
  ],
  [
    { name: 'abc', replicas: 'a', flag: 1, tags: [], num: -1 },
    [
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: a is of the type string, expected int64',
      'spec.flag: Invalid value: "integer": spec.flag in body must be of type boolean: "integer"',
      'spec.num: Invalid value: -1: spec.num in body should be greater than 0',
      'spec.num: Invalid value: 0: factor MultipleOf declared for spec.num must be positive: 0',
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      'spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items',
    ],
  ],
  [
    { replicas: 11, flag: true, num: 0 },
    [
      'spec.name: Required value',
      'spec.num: Invalid value: 0: factor MultipleOf declared for spec.num must be positive: 0',
      'spec.num: Invalid value: 0: spec.num in body should be greater than 0',
      'spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10',
    ],
  ],
];
