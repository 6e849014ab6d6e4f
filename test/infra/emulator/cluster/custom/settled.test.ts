import { describe, expect, it } from 'vitest';
import { definitionRules } from '#infra/emulator/cluster/custom/definition/definition-rules.ts';
import { settled } from '#infra/emulator/cluster/custom/definition/settled.ts';
import {
  discoveredResource,
  servedKind,
  servedVersions,
} from '#infra/emulator/cluster/custom/discovered-kinds.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import type { Change } from './definition-cases.ts';
import { foos } from './foos.ts';
import { widgets } from './widgets.ts';

const now = new Date('2030-01-01T00:00:00Z');
const at = { now, user: { name: 'me', groups: [] } };

function written(change: Change = {}): JsonObject {
  return definitionRules.created(definitionRules.defaulted(foos(change)), at);
}

function accepted(definition: JsonObject, others: readonly JsonObject[] = []): JsonObject {
  return settled(definition, others, now) ?? definition;
}

describe('a definition that was written', () => {
  it('is established as soon as nobody else has its names', () => {
    const lastTransitionTime = '2030-01-01T00:00:00Z';
    expect(accepted(written())['status']).toEqual({
      acceptedNames: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
      conditions: [
        {
          lastTransitionTime,
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          message: 'no conflicts found',
        },
        {
          lastTransitionTime,
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      storedVersions: ['v1'],
    });
  });

  it('is left alone once it is settled', () => {
    expect(settled(accepted(written()), [], now)).toBeUndefined();
  });

  it('waits where another of its group has one of its names', () => {
    const other = accepted(
      written({ name: 'bars.bad.io', spec: { names: { plural: 'bars', kind: 'Foo' } } }),
    );
    expect(accepted(written(), [other])['status']).toMatchObject({
      acceptedNames: { plural: 'foos' },
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'False',
          reason: 'ListKindConflict',
          message: '"FooList" is already in use',
        },
        {
          type: 'Established',
          status: 'False',
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        },
      ],
    });
    expect(servedKind(accepted(written(), [other]))).toBeUndefined();
  });

  it('stays established when it asks for a name that another has', () => {
    const mine = accepted(written());
    const other = accepted(
      written({
        name: 'bars.bad.io',
        spec: { names: { plural: 'bars', kind: 'Bar', shortNames: ['b'] } },
      }),
    );
    const names = {
      plural: 'foos',
      kind: 'Foo',
      singular: 'foo',
      listKind: 'FooList',
      shortNames: ['b'],
    };
    const next = {
      ...mine,
      spec: { ...definitionRules.defaulted(foos({ spec: { names } })) }['spec'] ?? {},
    };
    expect(accepted(next, [other])['status']).toMatchObject({
      conditions: [
        { status: 'False', reason: 'ShortNamesConflict' },
        { type: 'Established', status: 'True' },
      ],
    });
  });
});

describe('what a definition serves', () => {
  const versions = ['v1alpha1', 'v1', 'v2beta1', 'v10', 'foo', 'v2'].map((name) => ({
    name,
    served: name !== 'v2',
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object' } },
  }));

  it('has its versions with the preferred one first', () => {
    const definition = accepted(written({ spec: { versions } }));
    expect(servedVersions(definition).map(({ type }) => type.version)).toEqual([
      'v10',
      'v1',
      'v2beta1',
      'v1alpha1',
      'foo',
    ]);
    expect(servedKind(definition)).toMatchObject({
      resource: 'foos',
      kind: 'Foo',
      namespaced: true,
      isCustom: true,
    });
  });

  it('is discovered with its subresources', () => {
    const definition = accepted(definitionRules.created(definitionRules.defaulted(widgets), at));
    const [version] = servedVersions(definition);
    if (version === undefined) throw new Error('it has a version');
    expect(discoveredResource(definition, version)).toMatchObject({
      resource: 'widgets',
      responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
      singularResource: 'widget',
      subresources: [
        {
          subresource: 'status',
          responseKind: { kind: 'Widget' },
          verbs: ['get', 'patch', 'update'],
        },
        {
          subresource: 'scale',
          responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        },
      ],
    });
  });
});
