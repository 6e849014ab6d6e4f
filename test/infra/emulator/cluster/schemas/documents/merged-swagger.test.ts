import { describe, expect, it } from 'vitest';
import { mergedSwagger } from '#infra/emulator/cluster/schemas/documents/merged-swagger.ts';
import type { JsonObject } from '#shared/domain/json.ts';

const types = 'x-kubernetes-group-version-kind';
const own = {
  swagger: '2.0',
  paths: { '/apis/example.com/v1/taken': { get: { operationId: 'own' } } },
  definitions: { Meta: { type: 'object' }, Meta_v2: { type: 'integer' }, Options: kinds('a') },
  parameters: { limit: { type: 'integer' } },
};

function kinds(...names: readonly string[]): JsonObject {
  return { type: 'object', [types]: names.map((kind) => ({ group: 'g', kind, version: 'v1' })) };
}

function to(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

function merged(body: JsonObject): JsonObject {
  return mergedSwagger(own, { group: 'example.com', version: 'v1', body });
}

function withDefinitions(definitions: JsonObject, used: JsonObject = {}): JsonObject {
  return { paths: { '/apis/example.com/v1/widgets': { get: used } }, definitions };
}

describe('mergedSwagger', () => {
  it.each<[string, JsonObject, object]>([
    ['one that is new', { Widget: { type: 'object' } }, { Widget: { type: 'object' } }],
    ['one that is the same', { Meta: { type: 'object' } }, { Meta: own.definitions.Meta }],
    [
      'one that is another, past the names that are taken on either side',
      { Meta: { type: 'string' }, Meta_v3: { type: 'boolean' } },
      { Meta: own.definitions.Meta, Meta_v4: { type: 'string' }, Meta_v3: { type: 'boolean' } },
    ],
    [
      'one that is the same as another that had its name before',
      { Meta: { type: 'integer' } },
      { Meta: own.definitions.Meta, Meta_v2: own.definitions.Meta_v2 },
    ],
    ['one that is of other kinds too', { Options: kinds('b', 'a') }, { Options: kinds('a', 'b') }],
    ['one that is called as what each object has', { constructor: { type: 'object' } }, {}],
    ['one that is none', { Meta: null }, { Meta: own.definitions.Meta, Meta_v3: {} }],
  ])('takes a definition: %s', (_, definitions, expected) => {
    expect(merged(withDefinitions(definitions))['definitions']).toEqual({
      ...own.definitions,
      ...definitions,
      ...expected,
    });
  });

  it('refers to what it has given another name', () => {
    const widget = { properties: { metadata: to('Meta'), $ref: { type: 'string' } } };
    const found = merged(withDefinitions({ Widget: widget, Meta: { type: 'string' } }, to('Meta')));
    expect(found).toMatchObject({
      paths: { '/apis/example.com/v1/widgets': { get: to('Meta_v3') } },
      definitions: {
        Widget: { properties: { metadata: to('Meta_v3'), $ref: { type: 'string' } } },
      },
    });
  });

  it('leaves paths of others out, and what only they have used', () => {
    const body = {
      paths: {
        '/apis/example.com/v1/widgets': to('Both'),
        '/apis/example.com/v10/widgets': { a: to('Both'), b: to('Other') },
        '/version': {},
      },
      definitions: { Both: {}, Other: { items: to('OfOther') }, OfOther: {}, Unused: {} },
    };
    const found = merged(body);
    expect(found['paths']).toEqual({ ...own.paths, '/apis/example.com/v1/widgets': to('Both') });
    expect(found['definitions']).toEqual({ ...own.definitions, Both: {}, Unused: {} });
  });

  it.each<[string, JsonObject]>([
    ['has no paths', { definitions: { Widget: {} } }],
    ['has nothing new', { paths: { '/apis/example.com/v1/taken': {} }, definitions: { New: {} } }],
    ['is of another shape', { paths: [], definitions: 'none' }],
  ])('adds nothing of one that %s', (_, body) => {
    expect(merged(body)).toEqual(own);
  });
});
