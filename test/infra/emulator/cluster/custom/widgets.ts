import type { JsonObject } from '#shared/domain/json.ts';

/** A definition with one of each kind of restriction. */
export const widgets: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['name'],
                properties: {
                  name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
                  replicas: { type: 'integer', minimum: 0, maximum: 10, default: 1 },
                  num: { type: 'number', multipleOf: 0.5, minimum: 0, exclusiveMinimum: true },
                  flag: { type: 'boolean' },
                  en: { type: 'string', enum: ['a', 'b'] },
                  port: { 'x-kubernetes-int-or-string': true },
                  when: { type: 'string', format: 'date-time' },
                  mail: { type: 'string', format: 'email' },
                  big: { type: 'integer', format: 'int32' },
                  tags: {
                    type: 'array',
                    items: { type: 'string' },
                    'x-kubernetes-list-type': 'set',
                    maxItems: 3,
                    minItems: 1,
                  },
                  keyed: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['k'],
                    items: {
                      type: 'object',
                      required: ['k'],
                      properties: { k: { type: 'string' }, v: { type: 'integer', default: 7 } },
                    },
                  },
                  nul: { type: 'string', nullable: true, default: 'z' },
                  notnul: { type: 'string', default: 'z' },
                  one: {
                    oneOf: [{ required: ['a'] }, { required: ['b'] }],
                    type: 'object',
                    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
                  },
                  any: {
                    anyOf: [{ required: ['a'] }, { required: ['b'] }],
                    type: 'object',
                    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
                  },
                  not: {
                    not: { required: ['a'] },
                    type: 'object',
                    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
                  },
                  all: {
                    allOf: [{ required: ['a'] }, { required: ['b'] }],
                    type: 'object',
                    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
                  },
                  map: {
                    type: 'object',
                    additionalProperties: { type: 'integer' },
                    maxProperties: 2,
                    minProperties: 1,
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  emb: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                  uniq: { type: 'array', items: { type: 'string' } },
                },
              },
              status: {
                type: 'object',
                properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
};
