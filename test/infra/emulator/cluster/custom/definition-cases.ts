import type { JsonObject } from '#shared/domain/json.ts';

/** What is other than in `foos`; null takes away. */
export type Change = {
  readonly name?: string;
  readonly spec?: JsonObject;
  readonly version?: JsonObject;
  /** Of the schema, of its properties, of its property `spec`. */
  readonly root?: JsonObject;
  readonly properties?: JsonObject;
  readonly inSpec?: JsonObject;
  /** The schema of `spec.x`. */
  readonly x?: JsonObject;
};

/** Changes that make a good definition a bad one, and what kube-apiserver 1.35.4 says of it. */
export const definitionCases: readonly (readonly [change: Change, errors: readonly string[]])[] = [
  [
    { name: 'x.bad.io' },
    ['metadata.name: Invalid value: "x.bad.io": must be spec.names.plural+"."+spec.group'],
  ],
  [
    { name: 'foos.bad', spec: { group: 'bad' } },
    ['spec.group: Invalid value: "bad": should be a domain with at least one dot'],
  ],
  [{ spec: { scope: null } }, ['spec.scope: Required value']],
  [
    { spec: { scope: 'X' } },
    ['spec.scope: Unsupported value: "X": supported values: "Cluster", "Namespaced"'],
  ],
  [
    { spec: { names: { kind: 'Foo' } } },
    [
      'metadata.name: Invalid value: "foos.bad.io": must be spec.names.plural+"."+spec.group',
      'spec.names.plural: Required value',
    ],
  ],
  [
    { spec: { names: { plural: 'foos' } } },
    [
      'spec.names.kind: Required value',
      'spec.names.listKind: Required value',
      'spec.names.singular: Required value',
    ],
  ],
  [
    { spec: { names: { plural: 'foos', kind: 'Foo', shortNames: ['F!'] } } },
    [
      "spec.names.shortNames[0]: Invalid value: \"F!\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { spec: { names: { plural: 'foos', kind: 'Foo', categories: ['A'] } } },
    [
      "spec.names.categories[0]: Invalid value: \"A\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { spec: { names: { plural: 'foos', kind: 'Foo', listKind: 'Foo' } } },
    ['spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same'],
  ],
  [{ version: { schema: null } }, ['spec.versions[0].schema.openAPIV3Schema: Required value']],
  [
    { root: { type: null } },
    ['spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root'],
  ],
  [
    { root: { type: 'array', items: { type: 'string' } } },
    ['spec.validation.openAPIV3Schema.type: Invalid value: "array": must be object at the root'],
  ],
  [
    { x: {} },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].type: Required value: must not be empty for specified object fields',
    ],
  ],
  [
    { x: { type: 'strin' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].type: Unsupported value: "strin": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [
    { x: { type: 'array' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].items: Required value: must be specified',
    ],
  ],
  [
    { x: { type: 'array', items: {} } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].items.type: Required value: must not be empty for specified array items',
    ],
  ],
  [
    { x: { type: 'array', uniqueItems: true, items: { type: 'string' } } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  ],
  [
    {
      x: {
        type: 'object',
        properties: { a: { type: 'string' } },
        additionalProperties: { type: 'string' },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
  ],
  [
    { x: { type: 'object', $ref: '#/x' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].$ref: Forbidden: $ref is not supported',
    ],
  ],
  [
    { x: { type: 'object', patternProperties: { a: { type: 'string' } } } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].patternProperties: Forbidden: patternProperties is not supported',
    ],
  ],
  [
    { x: { type: 'object', definitions: { a: { type: 'string' } } } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].definitions: Forbidden: definitions is not supported',
    ],
  ],
  [
    { x: { type: 'object', dependencies: { a: ['b'] } } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].dependencies: Forbidden: dependencies is not supported',
    ],
  ],
  [
    { x: { type: 'string', anyOf: [{ type: 'string' }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
  ],
  [
    { x: { type: 'string', anyOf: [{ default: 'x' }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].anyOf[0].default: Forbidden: must be undefined to be structural',
    ],
  ],
  [
    { x: { type: 'string', anyOf: [{ description: 'x' }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].anyOf[0].description: Forbidden: must be empty to be structural',
    ],
  ],
  [
    { root: { nullable: true } },
    ['spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root'],
  ],
  [
    { x: { type: 'object', anyOf: [{ additionalProperties: { minLength: 1 } }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].anyOf[0].additionalProperties: Forbidden: must be undefined to be structural',
    ],
  ],
  [
    { properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
    [
      'spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  ],
  [
    { properties: { kind: { type: 'integer' } } },
    [
      'spec.validation.openAPIV3Schema.properties[kind].type: Invalid value: "integer": must be string',
    ],
  ],
  [
    { x: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
    ],
  ],
  [
    { x: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
    ],
  ],
  [
    { x: { 'x-kubernetes-embedded-resource': true } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].type: Required value: must be object if x-kubernetes-embedded-resource is true',
    ],
  ],
  [
    { x: { type: 'object', 'x-kubernetes-embedded-resource': true } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  ],
  [
    { x: { type: 'object', 'x-kubernetes-list-type': 'set' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].type: Invalid value: "object": must be array if x-kubernetes-list-type is specified',
    ],
  ],
  [
    { x: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'foo' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].x-kubernetes-list-type: Unsupported value: "foo": supported values: "atomic", "set", "map"',
    ],
  ],
  [
    {
      x: {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
  ],
  [
    {
      x: {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['z'],
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties',
    ],
  ],
  [
    {
      x: {
        type: 'array',
        items: { type: 'object', properties: { k: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  ],
  [
    {
      x: {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
    ],
  ],
  [
    { x: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-map-keys': ['k'] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    { x: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    { x: { type: 'string', 'x-kubernetes-map-type': 'atomic' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].type: Invalid value: "string": must be object if x-kubernetes-map-type is specified',
    ],
  ],
  [
    { x: { type: 'string', default: 5 } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].default: Invalid value: "integer":  in body must be of type string: "integer"',
    ],
  ],
  [
    { x: { type: 'object', properties: { a: { type: 'string' } }, default: { b: 1 } } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].default: Invalid value: {"b":1}: must not have unknown fields',
    ],
  ],
  [
    { x: { type: 'string', enum: ['a'], default: 'b' } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].default: Unsupported value: "b": supported values: "a"',
    ],
  ],
  [
    {
      properties: {
        metadata: { type: 'object', properties: { name: { type: 'string', default: 'x' } } },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata',
    ],
  ],
  [
    {
      version: {
        subresources: { scale: { specReplicasPath: '.foo', statusReplicasPath: 'status.x' } },
      },
    },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".foo": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Invalid value: "status.x": must be a simple json path starting with .',
    ],
  ],
  [
    { version: { subresources: { scale: {} } } },
    [
      'spec.subresources.scale.specReplicasPath: Required value',
      'spec.subresources.scale.statusReplicasPath: Required value',
    ],
  ],
  [
    {
      version: {
        additionalPrinterColumns: [{ name: '', type: 'foo', jsonPath: 'x', format: 'q' }],
      },
    },
    [
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .',
      'spec.additionalPrinterColumns[0].format: Invalid value: "q": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Invalid value: "foo": must be one of boolean,date,integer,number,string',
    ],
  ],
  [
    { version: { additionalPrinterColumns: [{}] } },
    [
      'spec.additionalPrinterColumns[0].JSONPath: Required value',
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
    ],
  ],
  [
    { version: { deprecationWarning: 'x' } },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions',
    ],
  ],
  [
    { spec: { conversion: { strategy: 'Webhook' } } },
    [
      'spec.conversion.conversionReviewVersions: Required value',
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
    ],
  ],
  [
    { spec: { conversion: { strategy: 'X' } } },
    ['spec.conversion.strategy: Unsupported value: "X": supported values: "None", "Webhook"'],
  ],
  [
    {
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v7'], clientConfig: {} },
        },
      },
    },
    [
      'spec.conversion.conversionReviewVersions: Invalid value: ["v7"]: must include at least one of v1, v1beta1',
      'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
    ],
  ],
  [
    {
      spec: {
        conversion: {
          strategy: 'None',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://a' } },
        },
      },
    },
    [
      'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
      'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
    ],
  ],
  [
    {
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'http://a' } },
        },
      },
    },
    [
      'spec.conversion.webhookClientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
    ],
  ],
  [
    { spec: { preserveUnknownFields: true } },
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    {
      version: {
        selectableFields: [
          { jsonPath: '.spec.q' },
          { jsonPath: '.spec' },
          { jsonPath: '.spec.a' },
          { jsonPath: '.spec.a' },
          { jsonPath: '.metadata.name' },
        ],
      },
    },
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.q": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[1].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[3].jsonPath: Duplicate value: ".spec.a"',
      'spec.selectableFields[4].jsonPath: Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field',
    ],
  ],
  [
    { inSpec: { 'x-kubernetes-validations': [{ rule: 'self.q > 1' }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.q \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field \'q\'\n | self.q > 1\n | ....^',
    ],
  ],
  [
    { inSpec: { 'x-kubernetes-validations': [{ rule: 'self.n > "a"', message: 'm' }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.n \\u003e \\"a\\"","Message":"m","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:8: found no matching overload for \'_>_\' applied to \'(int, string)\'\n | self.n > "a"\n | .......^',
    ],
  ],
  [
    { inSpec: { 'x-kubernetes-validations': [{ rule: 'self.n' }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.n","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ],
  ],
  [
    { inSpec: { 'x-kubernetes-validations': [{ rule: '' }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified',
    ],
  ],
  [
    {
      inSpec: { 'x-kubernetes-validations': [{ rule: 'self.n > 1', messageExpression: 'self.n' }] },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].messageExpression: Invalid value: {"Rule":"self.n \\u003e 1","Message":"","MessageExpression":"self.n","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string',
    ],
  ],
  [
    {
      inSpec: {
        'x-kubernetes-validations': [{ rule: 'self.n > 1', reason: 'Foo', fieldPath: '.zz' }],
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].fieldPath: Invalid value: ".zz": must be a valid path',
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
  ],
  [
    {
      x: {
        type: 'array',
        maxItems: 3,
        items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[x]',
    ],
  ],
  [
    { inSpec: { 'x-kubernetes-validations': [{ rule: 'self.n > 1', optionalOldSelf: true }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
    ],
  ],
  [
    { inSpec: { 'x-kubernetes-validations': [{ rule: 'foo(1)' }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"foo(1)","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:4: undeclared reference to \'foo\' (in container \'\')\n | foo(1)\n | ...^',
    ],
  ],
  [
    { x: { type: 'string', anyOf: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }] } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].anyOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural',
    ],
  ],
  [
    { root: { 'x-kubernetes-validations': [{ rule: 'self.metadata.labels.size() > 1' }] } },
    [
      'spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.metadata.labels.size() \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:14: undefined field \'labels\'\n | self.metadata.labels.size() > 1\n | .............^',
    ],
  ],
  [
    { name: 'foos.x.k8s.io', spec: { group: 'x.k8s.io' } },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
];
