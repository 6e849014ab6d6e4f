import { describe, expect, it } from 'vitest';
import type { Schema } from '#infra/emulator/cluster/parts.ts';
import { applied } from '#infra/emulator/cluster/patching/applied.ts';
import { managed } from '#infra/emulator/cluster/patching/managed.ts';
import { unstamped } from '#infra/emulator/cluster/patching/unstamped.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
    spec: {
      type: 'object',
      properties: {
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      },
    },
  },
};

const by = {
  manager: 'me',
  apiVersion: 'x.example/v1',
  subresource: undefined,
  schema,
  now: new Date('2030-01-01T00:00:00.900Z'),
};
const later = { ...by, now: new Date('2030-01-01T00:00:05Z') };

function objectOf(spec: JsonObject, managedFields?: readonly JsonObject[]): JsonObject {
  const metadata = managedFields === undefined ? { name: 'a' } : { name: 'a', managedFields };
  return { apiVersion: 'x.example/v1', kind: 'X', metadata, spec };
}

const entry = (fieldsV1: JsonObject, more: JsonObject = {}): JsonObject => ({
  manager: 'me',
  operation: 'Update',
  apiVersion: 'x.example/v1',
  time: '2030-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});

function ownersIn({ metadata }: JsonObject): readonly Json[] {
  const entries = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  return isList(entries) ? entries : [];
}

describe('managed', () => {
  it('makes one name of two equal items, and two of one that is alone again', () => {
    const twins = managed(objectOf({ tags: ['a', 'a', 'b'] }), undefined, by);
    const tags = { '.': {}, 'v:"a"': {}, 'v:"b"': {} };
    expect(twins).toEqual(
      objectOf({ tags: ['a', 'a', 'b'] }, [entry({ 'f:spec': { '.': {}, 'f:tags': tags } })]),
    );
    const alone = managed({ ...twins, spec: { tags: ['a', 'b'] } }, twins, later);
    expect(alone).toEqual(
      objectOf({ tags: ['a', 'b'] }, [
        entry({ 'f:spec': { '.': {}, 'f:tags': tags } }, { time: '2030-01-01T00:00:05Z' }),
      ]),
    );
  });

  it('merges a list without a list type as its patch strategy says', () => {
    const spec: Schema = {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'string' } } },
          'x-kubernetes-patch-strategy': 'merge,retainKeys',
          'x-kubernetes-patch-merge-key': 'id',
        },
      },
    };
    const typed = { ...by, schema: { ...schema, properties: { ...schema.properties, spec } } };
    const made = managed(objectOf({ items: [{ id: 'a' }] }), undefined, typed);
    expect(JSON.stringify(made)).toContain(
      JSON.stringify({ 'k:{"id":"a"}': { '.': {}, 'f:id': {} } }).slice(1, -1),
    );
  });

  it('takes a writer without a name for an unknown one', () => {
    const made = managed(objectOf({ tags: ['a'] }), undefined, { ...by, manager: '' });
    expect(JSON.stringify(made)).toContain('"manager":"unknown"');
  });

  it('keeps the time of a writer who changes nothing', () => {
    const made = managed(objectOf({ tags: ['a'] }), undefined, by);
    expect(managed(made, made, later)).toEqual(made);
  });

  it('leaves no object changed that it was given', () => {
    const made = managed(objectOf({ tags: ['a'] }), undefined, by);
    const copy = structuredClone(made);
    managed({ ...made, spec: { tags: ['b'] } }, made, later);
    applied(made, objectOf({ tags: ['c'] }), { ...later, force: true });
    expect(made).toEqual(copy);
  });
});

describe('a write through scale', () => {
  const scale = { ...later, manager: 'scaler', subresource: 'scale' };
  const made = managed(objectOf({ tags: ['a'] }), undefined, by);

  it('has no time', () => {
    const scaled = managed({ ...made, spec: { tags: ['a', 'b'] } }, made, scale);
    expect(ownersIn(scaled)).toEqual([
      {
        manager: 'scaler',
        operation: 'Update',
        apiVersion: 'x.example/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:tags': { 'v:"b"': {} } } },
        subresource: 'scale',
      },
      ...ownersIn(made),
    ]);
  });

  it('conflicts with owners of a Scale', () => {
    const owned = objectOf({ size: 1 }, [entry({ 'f:spec': { 'f:size': {} } })]);
    const free = { ...scale, schema: undefined, force: false };
    expect(applied(owned, objectOf({ size: 2 }), free)).toMatchObject({
      code: 409,
      body: {
        message:
          'Apply failed with 1 conflict: conflict with "me" using autoscaling/v1: .spec.size',
      },
    });
  });
});

describe('unstamped', () => {
  it('is what was before, where nothing but times is another', () => {
    const before = objectOf({ tags: ['a'] }, [entry({ 'f:spec': {} })]);
    const next = objectOf({ tags: ['a'] }, [
      entry({ 'f:spec': {} }, { time: '2031-01-01T00:00:00Z' }),
    ]);
    expect(unstamped(next, before)).toBe(before);
    const changed = { ...next, spec: { tags: ['b'] } };
    expect(unstamped(changed, before)).toBe(changed);
  });
});

describe('applied', () => {
  it('says of a stored object with unreadable owners that it is no fault of the client', () => {
    const before = objectOf({}, [entry({}, { fieldsType: 'FieldsV2' })]);
    const answer = applied(before, objectOf({}), { ...by, force: false });
    expect(isRefusal(answer) && answer.code).toBe(500);
    expect(JSON.stringify(answer)).toContain(
      'failed to decode managed fields: invalid fieldsType \\"FieldsV2\\" in managed fields entry 0',
    );
  });

  it.each([
    [
      'another version',
      { apiVersion: 'x.example/v2' },
      'invalid object type: x.example/v2, Kind=X',
    ],
    ['another kind', { kind: 'Y' }, 'invalid object type: x.example/v1, Kind=Y'],
  ])('refuses a configuration of %s', (_, other, message) => {
    const answer = applied(objectOf({}), { ...objectOf({}), ...other }, { ...by, force: false });
    expect(answer).toMatchObject({ code: 400, body: { message } });
  });
});
