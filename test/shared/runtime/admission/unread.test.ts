import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import preferPool from '#functions/node-affinity/prefer-pool.ts';
import bootstrapPod from '#functions/pod-bootstrap/bootstrap-pod.ts';
import { defineAdmission } from '#shared/define.ts';
import { anyObject, anything, optional, record } from '#shared/domain/decode.ts';
import { allow } from '#shared/domain/verdict.ts';
import type { Bound } from '#shared/runtime/admission/host.ts';
import { leaveManagedFields, withoutManagedFields } from '#shared/runtime/admission/unread.ts';

function left(value: unknown): unknown {
  return JSON.parse(withoutManagedFields(Buffer.from(JSON.stringify(value))));
}

/** The same by way of the parsed value: every list of that name is empty. */
function emptied(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, each) =>
    key === 'managedFields' && Array.isArray(each) ? [] : each,
  );
}

const strings = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'managedFields',
    'x"managedFields',
    '"managedFields":[',
    ',"managedFields":[',
    ']},"spec":{',
    '[]},',
    'spec',
    '\\',
    '"',
    '[',
    ']',
    '}',
  ),
);
const { tree } = fc.letrec((tie) => {
  const managedFields = fc.array(tie('tree'), { maxLength: 3 });
  return {
    tree: fc.oneof(
      { maxDepth: 5 },
      strings,
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(strings, tie('tree'), { maxKeys: 4 }),
      fc.record({ managedFields, spec: tie('tree') }),
      fc.record({ metadata: fc.record({ managedFields }), spec: fc.record({ a: tie('tree') }) }),
    ),
  };
});

describe('a body without its managed fields', () => {
  it('is otherwise what it was, whatever stands in its strings', () => {
    let shorter = 0;
    const holds = (value: unknown) => {
      const now = left(value);
      expect(emptied(now)).toEqual(emptied(value));
      if (JSON.stringify(now).length < JSON.stringify(value).length) shorter += 1;
    };
    fc.assert(fc.property(tree, holds), { numRuns: 2_000 });
    expect(shorter).toBeGreaterThan(20);
  });

  const fieldsV1 = { 'f:spec': { 'k:{"name":"a"}': { '.': {} } } };
  const pod = (managedFields: readonly unknown[]) => ({
    metadata: { name: 'a', managedFields },
    spec: { containers: [{ name: 'ö', args: ['"managedFields":[1]},"spec":{'] }] },
  });

  it('is without those of the object; an old one keeps its own', () => {
    const given = pod([{ manager: 'k', fieldsV1 }, { manager: 'l' }]);
    const request = { object: given, oldObject: given };
    expect(left({ request })).toEqual({ request: { ...request, object: pod([]) } });
  });

  it.each([
    ['a bracket in a string', [{ manager: 'k', fieldsV1: { 'k:{"name":"a]}"}': {} } }]],
    ['a list in the list', [{ manager: 'k', fieldsV1: [{ a: 1 }] }]],
  ])('has them where they are not as API servers write them: %s', (_, managedFields) => {
    const request = { object: pod(managedFields) };
    expect(left({ request })).toEqual({ request });
  });

  it.each([
    '{"managedFields":[{"a":1}',
    '{"managedFields":["',
    '{"managedFields":["\\',
    '"managedFields":[1]',
    '{"managedFields":[]},"spec":',
  ])('is the body itself where it is no JSON: %s', (text) => {
    expect(withoutManagedFields(Buffer.from(text))).toBe(text);
  });
});

function bound(stated: object = {}): Bound {
  const definition = defineAdmission({
    name: 'say',
    capability: 'samples',
    phase: 'mutate',
    trigger: { resources: ['pods', 'pods/ephemeralcontainers'], operations: ['CREATE'] },
    schema: record({ spec: anyObject }),
    uses: [],
    deadlineMs: 1_000,
    onFailure: 'allow-with-warning',
    handler: () => allow(),
    ...stated,
  });
  return { definition, ports: {} as never, conditions: [], unfit: '' };
}

describe('managed fields are left unread', () => {
  it('by functions whose schemas drop them', () => {
    const ours = [bootstrapPod, preferPool].map((definition) => ({ ...bound(), definition }));
    expect(leaveManagedFields([...ours, bound()])).toBe(true);
  });

  const metadata = record({ managedFields: anything });
  it.each([
    ['takes the object as it is', { schema: anything }],
    ['takes any object', { schema: anyObject }],
    ['takes the metadata as they are', { schema: record({ metadata: optional(anyObject) }) }],
    ['names them', { schema: record({ metadata: optional(metadata, { managedFields: [] }) }) }],
    [
      'has a condition, which may look at them',
      {
        trigger: {
          resources: ['pods'],
          operations: ['CREATE'],
          matchConditions: [{ name: 'a', expression: 'has(object.metadata.managedFields)' }],
        },
      },
    ],
    [
      'is asked about other kinds, which may have such a list of their own',
      { trigger: { resources: ['pods', 'configmaps'], operations: ['CREATE'] } },
    ],
    [
      'is asked about pods of another group',
      { trigger: { group: 'metrics.k8s.io', resources: ['pods'], operations: ['CREATE'] } },
    ],
  ])('but not where one %s', (_, stated) => {
    expect(leaveManagedFields([bound(), bound(stated)])).toBe(false);
  });
});
