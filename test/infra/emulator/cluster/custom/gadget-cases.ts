import type { Json } from '#shared/domain/json.ts';

/** What kube-apiserver 1.35.4 says of a gadget with this spec; nothing where it takes it. */
export const gadgetCases: readonly (readonly [spec: Json, errors: readonly string[]])[] = [
  [{}, []],
  [{ lo: 3, hi: 2 }, ['spec.lo: Invalid value: lo must not exceed hi']],
  [{ name: 'bad' }, ['spec.name: Forbidden: name is bad']],
  [
    { m: { a: 1, b: 0 } },
    ['spec: Invalid value: failed rule: !has(self.m) || self.m.all(k, self.m[k] > 0)'],
  ],
  [{ m: { a: 1 } }, []],
  [{ req: true }, ['spec: Required value: failed rule: !has(self.req) || has(self.name)']],
  [
    { idx: [1] },
    [
      'spec: Invalid value: "object": index out of bounds: 5 evaluating rule: !has(self.idx) || self.idx[5] == 1',
    ],
  ],
  [
    { port: 0 },
    [
      "spec: Invalid value: failed rule: !has(self.port) || (type(self.port) == int ? self.port > 0 : self.port != '')",
    ],
  ],
  [
    { port: '' },
    [
      "spec: Invalid value: failed rule: !has(self.port) || (type(self.port) == int ? self.port > 0 : self.port != '')",
    ],
  ],
  [{ port: 'x' }, []],
  [
    { when: '2031-01-01T00:00:00Z' },
    [
      "spec: Invalid value: failed rule: !has(self.when) || self.when < timestamp('2030-01-01T00:00:00Z')",
    ],
  ],
  [{ when: '2029-01-01T00:00:00Z' }, []],
  [
    { q: '3Gi' },
    [
      "spec: Invalid value: failed rule: !has(self.q) || quantity(self.q).isLessThan(quantity('2Gi'))",
    ],
  ],
  [
    { q: 'x' },
    [
      "spec: Invalid value: \"object\": quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' evaluating rule: !has(self.q) || quantity(self.q).isLessThan(quantity('2Gi'))",
    ],
  ],
  [
    { u: 'http://a/b' },
    ["spec: Invalid value: failed rule: !has(self.u) || url(self.u).getScheme() == 'https'"],
  ],
  [{ u: 'https://a:5/b' }, []],
  [
    { u: '::' },
    [
      'spec: Invalid value: "object": URL parse error during conversion from string: parse "::": missing protocol scheme evaluating rule: !has(self.u) || url(self.u).getScheme() == \'https\'',
    ],
  ],
  [{ ip: '1.2.3.4' }, []],
  [
    { ip: '::1' },
    [
      'spec: Invalid value: failed rule: !has(self.ip) || (isIP(self.ip) && ip(self.ip).family() == 4)',
    ],
  ],
  [
    { ip: 'x' },
    [
      'spec: Invalid value: failed rule: !has(self.ip) || (isIP(self.ip) && ip(self.ip).family() == 4)',
    ],
  ],
  [{ cidr: '10.0.0.0/8' }, []],
  [
    { cidr: '11.0.0.0/8' },
    ["spec: Invalid value: failed rule: !has(self.cidr) || cidr(self.cidr).containsIP('10.0.0.1')"],
  ],
  [
    { tags: ['b'] },
    ["spec: Invalid value: failed rule: !has(self.tags) || sets.contains(self.tags, ['a'])"],
  ],
  [
    { tags: ['b', 'a'] },
    ['spec: Invalid value: failed rule: !has(self.tags) || self.tags.isSorted()'],
  ],
  [{ num: 2 }, ['spec: Invalid value: failed rule: !has(self.num) || self.num < 1.5']],
  [{ num: 1 }, []],
  [
    { '-x': 'abc' },
    ['spec: Invalid value: failed rule: !has(self.__dash__x) || size(self.__dash__x) < 3'],
  ],
  [{ txt: 'a-12' }, []],
  [
    { txt: 'a12' },
    [
      "spec: Invalid value: failed rule: !has(self.txt) || self.txt.split('-').size() == 2 && self.txt.replace('a','b') != 'x' && 'v%d'.format([1]) == 'v1'",
    ],
  ],
  [{ imm: 'a' }, []],
  [
    { opt: 2 },
    [
      'spec.opt: Invalid value: 2: failed rule: oldSelf.hasValue() ? self >= oldSelf.value() : self == 1',
    ],
  ],
  [{ opt: 1 }, []],
  [{ sc: 'abcd' }, ['spec.sc: Invalid value: "abcd": failed rule: self.size() < 4']],
  [
    { must: 'abcd', sc: 'abcd' },
    [
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      'spec.must: Too long: may not be more than 3 bytes',
    ],
  ],
  [
    { all: 1 },
    [
      '<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf)',
      'spec.all: Invalid value: 1: spec.all in body should be greater than or equal to 2',
    ],
  ],
  [
    { all: 5 },
    [
      '<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf)',
      'spec.all: Invalid value: 5: spec.all in body should be less than or equal to 4',
    ],
  ],
  [
    { of: { a: 'y' } },
    [
      '<nil>: Invalid value: "": "spec.of" must validate at least one schema (anyOf)',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      'spec.of.a: Unsupported value: "y": supported values: "x"',
    ],
  ],
  [
    { of: { b: 'y' } },
    [
      '<nil>: Invalid value: "": "spec.of" must validate at least one schema (anyOf)',
      'spec.of.b: Invalid value: "y": spec.of.b in body should be at least 2 chars long',
    ],
  ],
  [
    { of: {} },
    [
      '<nil>: Invalid value: "": "spec.of" must validate at least one schema (anyOf)',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      'spec.of.a: Required value',
    ],
  ],
  [
    { items: [{ k: 'a', v: 6 }] },
    [
      'spec.items[0].v: Invalid value: 6: spec.items[0].v in body should be less than or equal to 5',
    ],
  ],
];

/** And of an update. */
export const gadgetChanges: readonly (readonly [
  before: Json,
  after: Json,
  errors: readonly string[],
])[] = [
  [{ imm: 'a' }, { imm: 'b' }, ['spec.imm: Invalid value: "b": is immutable']],
  [{ imm: 'a' }, { imm: 'a', lo: 1 }, []],
  [{ imm: 'a' }, {}, []],
  [
    { opt: 1 },
    { opt: 0 },
    [
      'spec.opt: Invalid value: 0: failed rule: oldSelf.hasValue() ? self >= oldSelf.value() : self == 1',
    ],
  ],
  [
    {
      items: [
        { k: 'a', v: 3 },
        { k: 'b', v: 1 },
      ],
    },
    {
      items: [
        { k: 'b', v: 0 },
        { k: 'a', v: 4 },
      ],
    },
    ['spec.items[0].v: Invalid value: 0: failed rule: self >= oldSelf'],
  ],
  [{ items: [{ k: 'a', v: 3 }] }, { items: [{ k: 'c', v: 0 }] }, []],
];
