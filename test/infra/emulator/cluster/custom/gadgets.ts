import type { JsonObject } from '#shared/domain/json.ts';

/** A definition whose restrictions are rules. */
export const gadgets: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-validations': [
              { rule: "self.metadata.name.startsWith('w')" },
              {
                rule: '!has(self.spec.lo) || !has(self.spec.hi) || self.spec.lo <= self.spec.hi',
                message: 'lo must not exceed hi',
                fieldPath: '.spec.lo',
              },
            ],
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-validations': [
                  {
                    rule: "!has(self.name) || self.name != 'bad'",
                    messageExpression: "'name is ' + self.name",
                    reason: 'FieldValueForbidden',
                    fieldPath: '.name',
                  },
                  { rule: '!has(self.m) || self.m.all(k, self.m[k] > 0)' },
                  { rule: '!has(self.req) || has(self.name)', reason: 'FieldValueRequired' },
                  { rule: '!has(self.idx) || self.idx[5] == 1' },
                  {
                    rule: "!has(self.port) || (type(self.port) == int ? self.port > 0 : self.port != '')",
                  },
                  { rule: "!has(self.when) || self.when < timestamp('2030-01-01T00:00:00Z')" },
                  { rule: "!has(self.q) || quantity(self.q).isLessThan(quantity('2Gi'))" },
                  { rule: "!has(self.u) || url(self.u).getScheme() == 'https'" },
                  { rule: '!has(self.ip) || (isIP(self.ip) && ip(self.ip).family() == 4)' },
                  { rule: "!has(self.cidr) || cidr(self.cidr).containsIP('10.0.0.1')" },
                  { rule: "!has(self.tags) || sets.contains(self.tags, ['a'])" },
                  { rule: '!has(self.tags) || self.tags.isSorted()' },
                  { rule: '!has(self.num) || self.num < 1.5' },
                  { rule: '!has(self.__dash__x) || size(self.__dash__x) < 3' },
                  { rule: "!has(self.txt) || self.txt.find('[0-9]+') == '12'" },
                  {
                    rule: "!has(self.txt) || self.txt.split('-').size() == 2 && self.txt.replace('a','b') != 'x' && 'v%d'.format([1]) == 'v1'",
                  },
                ],
                properties: {
                  name: { type: 'string', maxLength: 50 },
                  lo: { type: 'integer' },
                  hi: { type: 'integer' },
                  imm: {
                    type: 'string',
                    'x-kubernetes-validations': [
                      { rule: 'self == oldSelf', message: 'is immutable' },
                    ],
                  },
                  opt: {
                    type: 'integer',
                    'x-kubernetes-validations': [
                      {
                        rule: 'oldSelf.hasValue() ? self >= oldSelf.value() : self == 1',
                        optionalOldSelf: true,
                      },
                    ],
                  },
                  sc: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() < 4' }] },
                  m: {
                    type: 'object',
                    additionalProperties: { type: 'integer' },
                    maxProperties: 5,
                  },
                  req: { type: 'boolean' },
                  idx: { type: 'array', items: { type: 'integer' } },
                  port: { 'x-kubernetes-int-or-string': true },
                  when: { type: 'string', format: 'date-time' },
                  q: { type: 'string', maxLength: 50 },
                  u: { type: 'string', maxLength: 50 },
                  ip: { type: 'string', maxLength: 50 },
                  cidr: { type: 'string', maxLength: 50 },
                  tags: { type: 'array', maxItems: 4, items: { type: 'string', maxLength: 9 } },
                  num: { type: 'number' },
                  '-x': { type: 'string', maxLength: 50 },
                  txt: { type: 'string', maxLength: 40 },
                  must: { type: 'string', maxLength: 3 },
                  items: {
                    type: 'array',
                    maxItems: 5,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['k'],
                    items: {
                      type: 'object',
                      required: ['k'],
                      properties: {
                        k: { type: 'string' },
                        v: {
                          type: 'integer',
                          maximum: 5,
                          'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }],
                        },
                      },
                    },
                  },
                  all: { type: 'integer', allOf: [{ minimum: 2 }, { maximum: 4 }] },
                  of: {
                    type: 'object',
                    properties: { a: { type: 'string' }, b: { type: 'string' } },
                    anyOf: [
                      { properties: { a: { enum: ['x'] } }, required: ['a'] },
                      { properties: { b: { minLength: 2 } }, required: ['b'] },
                    ],
                  },
                },
              },
              status: { type: 'object', properties: { n: { type: 'integer', maximum: 3 } } },
            },
          },
        },
      },
    ],
  },
};
