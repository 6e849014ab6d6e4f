import { describe, expect, it } from 'vitest';
import { raisedDocument } from '#infra/emulator/cluster/schemas/documents/raised-document.ts';
import type { JsonObject } from '#shared/domain/json.ts';

function to(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

const raised = { $ref: '#/components/schemas/A' };

describe('raisedDocument', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a reference', to('A'), raised],
    [
      'one with a text beside it',
      { description: 'x', ...to('A') },
      { description: 'x', allOf: [raised] },
    ],
    ['those of items', { items: to('A') }, { items: raised }],
    ['those of alternatives', { allOf: [to('A')] }, { allOf: [raised] }],
    [
      'a property that is called so',
      { properties: { $ref: { type: 'string' }, a: to('A') } },
      { properties: { $ref: { type: 'string' }, a: raised } },
    ],
  ])('leads to where version 3 has its schemas: %s', (_, schema, expected) => {
    const { components } = raisedDocument({ definitions: { B: schema } });
    expect(components).toMatchObject({ schemas: { B: expected } });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'what it takes',
      { consumes: ['a/b', 'c/d'], parameters: [{ name: 'body', in: 'body', schema: to('A') }] },
      {
        requestBody: { content: { 'a/b': { schema: raised }, 'c/d': { schema: raised } } },
        responses: {},
      },
    ],
    [
      'what it gives',
      {
        produces: ['a/b'],
        responses: { 200: { description: 'OK', schema: to('A'), headers: {} } },
      },
      { responses: { 200: { description: 'OK', content: { 'a/b': { schema: raised } } } } },
    ],
    [
      'an answer without a body',
      { produces: ['a/b'], responses: { 401: {} } },
      { responses: { 401: { description: '' } } },
    ],
    [
      'its parameters',
      {
        parameters: [
          { name: 'a', in: 'query', type: 'integer', maximum: 3 },
          { $ref: '#/parameters/b' },
        ],
      },
      {
        parameters: [
          { name: 'a', in: 'query', schema: { type: 'integer' } },
          { $ref: '#/components/parameters/b' },
        ],
        responses: {},
      },
    ],
    [
      'who it is, and not how it is spoken to',
      { operationId: 'a', tags: ['t'], schemes: ['https'], security: [], 'x-more': 1 },
      { operationId: 'a', tags: ['t'], 'x-more': 1, responses: {} },
    ],
    [
      'nothing of another shape',
      { parameters: 'a', responses: [], consumes: 1 },
      { responses: {} },
    ],
  ])('says of an operation %s', (_, get, expected) => {
    expect(raisedDocument({ paths: { '/a': { get } } })['paths']).toEqual({
      '/a': { get: expected },
    });
  });
});
