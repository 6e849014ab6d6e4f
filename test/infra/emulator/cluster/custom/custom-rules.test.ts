import { describe, expect, it } from 'vitest';
import { customRules } from '#infra/emulator/cluster/custom/custom-rules.ts';
import { findVersion } from '#infra/emulator/cluster/custom/definition.ts';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import { decoded } from '#infra/emulator/cluster/schemas/decode.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { foos } from './foos.ts';
import { gadgetCases, gadgetChanges } from './gadget-cases.ts';
import { gadgets } from './gadgets.ts';
import { widgetCases } from './widget-cases.ts';
import { widgets } from './widgets.ts';

const at = { now: new Date('2030-01-01T00:00:00Z'), user: { name: 'me', groups: [] } };
const [widget, gadget] = [
  { definition: widgets, kind: 'Widget' },
  { definition: gadgets, kind: 'Gadget' },
];
type Of = typeof widget;

function read({ definition, kind }: Of, more: JsonObject): JsonObject {
  const object = { apiVersion: 'example.com/v1', kind, metadata: { name: 'w' }, ...more };
  const found = decoded(object, findVersion(definition, 'v1')?.whole ?? {}, 'Strict');
  if (isRefusal(found)) throw new Error(JSON.stringify(found.body));
  return customRules(definition, 'v1').defaulted(found.object);
}

function created(of: Of, more: JsonObject): JsonObject {
  return customRules(of.definition, 'v1').created(read(of, more), at);
}

function told(of: Of, next: JsonObject, before?: JsonObject): readonly string[] {
  const errors = customRules(of.definition, 'v1').checked(next, before);
  return errors.map(({ field, message }) => `${field}: ${message}`).sort();
}

describe('an object of a custom kind', () => {
  it.each(widgetCases)(
    'with the spec %j is judged by its schema as the real server does',
    (spec, errors) => {
      expect(told(widget, created(widget, { spec }))).toEqual(errors);
    },
  );

  it.each(gadgetCases)(
    'with the spec %j is judged by rules as the real server does',
    (spec, errors) => {
      expect(told(gadget, created(gadget, { spec }))).toEqual(errors);
    },
  );

  it.each(gadgetChanges)(
    'that was %j and becomes %j is judged as the real server does',
    (was, is, errors) => {
      const before = created(gadget, { spec: was });
      const next = customRules(gadgets, 'v1').updated(read(gadget, { spec: is }), before, at);
      expect(told(gadget, next, before)).toEqual(errors);
    },
  );

  it('gets the defaults of its schema, in lists as well, and a null only where null is no value', () => {
    const spec = { name: 'abc', nul: null, notnul: null, flag: null, keyed: [{ k: 'a' }] };
    expect(created(widget, { spec })).toMatchObject({
      spec: { name: 'abc', nul: null, notnul: 'z', replicas: 1, keyed: [{ k: 'a', v: 7 }] },
    });
    expect(created(widget, { spec })['spec']).not.toHaveProperty('flag');
  });

  it('gets the defaults of items and values that are null', () => {
    const text = { type: 'string', default: 'q' };
    const properties = {
      list: { type: 'array', items: text },
      map: { type: 'object', additionalProperties: text },
    };
    const definition = foos({ x: { type: 'object', properties } });
    const x = { list: [null, 'a'], map: { a: null, b: 'b' } };
    expect(customRules(definition, 'v1').defaulted({ spec: { x } })).toEqual({
      spec: { x: { list: ['q', 'a'], map: { a: 'q', b: 'b' } } },
    });
  });

  it('is defaulted twice as once', () => {
    const rules = customRules(widgets, 'v1');
    const once = rules.defaulted({ spec: { name: 'abc', keyed: [{ k: 'a' }] } });
    expect(rules.defaulted(once)).toEqual(once);
  });

  it('that was wrong before a restriction came may stay as it is, but change no further into the wrong', () => {
    const before = { metadata: { name: 'w' }, spec: { name: 'abc', replicas: 11, en: 'c' } };
    const same = { ...before, spec: { ...before.spec, flag: true } };
    const worse = { ...before, spec: { ...before.spec, replicas: 12 } };
    expect(told(widget, same, before)).toEqual([]);
    expect(told(widget, worse, before)).toEqual([
      'spec.replicas: Invalid value: 12: spec.replicas in body should be less than or equal to 10',
    ]);
  });

  it('has no status from its creator, and keeps its own in an update', () => {
    const made = created(widget, { spec: { name: 'abc' }, status: { replicas: 3 } });
    const before = { ...made, status: { replicas: 1 } };
    const next = customRules(widgets, 'v1').updated(
      { ...made, status: { replicas: 9 } },
      before,
      at,
    );
    expect(made).not.toHaveProperty('status');
    expect(next).toEqual(before);
  });

  it('counts its generation up when anything but its metadata changes', () => {
    const rules = customRules(widgets, 'v1');
    const before = created(widget, { spec: { name: 'abc' } });
    const labelled = { ...before, metadata: { name: 'w', labels: { a: 'b' } } };
    const renamed = { ...before, spec: { name: 'xyz' } };
    expect(rules.updated(labelled, before, at)).toMatchObject({
      metadata: { generation: 1, labels: { a: 'b' } },
    });
    expect(rules.updated(renamed, before, at)).toMatchObject({ metadata: { generation: 2 } });
  });

  it('warns of a finalizer that anybody could mean', () => {
    const warnings = (finalizers: Json) =>
      customRules(widgets, 'v1').warnings({ metadata: { finalizers } });
    expect(warnings(['example.com/x', 'orphan'])).toEqual([]);
    expect(warnings(['mine'])).toEqual([
      'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });
});

describe('the status of a custom object', () => {
  const { status } = customRules(widgets, 'v1').subresources;
  const before = {
    metadata: { name: 'w', generation: 4 },
    spec: { name: 'abc' },
    status: { replicas: 1 },
  };

  it('takes the status alone', () => {
    const next = {
      metadata: { name: 'w', labels: { a: 'b' } },
      spec: { name: 'xyz' },
      status: { replicas: 2 },
    };
    if (status?.shape !== 'part') throw new Error('it is a part of the object');
    expect(status.taken(next, before, at)).toEqual({ ...before, status: { replicas: 2 } });
  });

  it('is judged by its own schema', () => {
    const next = { ...before, status: { replicas: 'x' } };
    if (status?.shape !== 'part') throw new Error('it is a part of the object');
    expect(
      status.checked(next, before).map(({ field, message }) => `${field}: ${message}`),
    ).toEqual([
      'status.replicas: Invalid value: "string": replicas in body must be of type integer: "string"',
      '.status.replicas: Invalid value: 0: .status.replicas accessor error: x is of the type string, expected int64',
    ]);
  });
});

describe('the scale of a custom object', () => {
  const { scale } = customRules(widgets, 'v1').subresources;
  const object = {
    metadata: { name: 'w', uid: 'u', labels: { a: 'b' } },
    spec: { name: 'abc', replicas: 2 },
    status: { replicas: 1, selector: 'a=b' },
  };

  it('shows what the paths of the definition lead to', () => {
    if (scale?.shape !== 'view') throw new Error('it is a view');
    expect(scale.shown(object)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'w', uid: 'u' },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    });
  });

  it('writes the replicas and nothing else', () => {
    if (scale?.shape !== 'view') throw new Error('it is a view');
    expect(scale.taken({ spec: { replicas: 5 }, status: { replicas: 9 } }, object)).toEqual({
      ...object,
      spec: { name: 'abc', replicas: 5 },
    });
  });

  it('is refused with the words of the whole object', () => {
    if (scale?.shape !== 'view') throw new Error('it is a view');
    expect(scale.taken({ spec: { replicas: -1 } }, object)).toEqual([
      {
        field: 'spec.replicas',
        reason: 'FieldValueInvalid',
        message: 'Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
      },
      {
        field: '.spec.replicas',
        reason: 'FieldValueInvalid',
        message: 'Invalid value: -1: should be a non-negative integer',
      },
    ]);
  });
});
