import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FieldSelector,
  fieldSelectorText,
  matchesFields,
  parseFieldSelector,
} from '#shared/domain/field-selector.ts';
import type { JsonObject } from '#shared/domain/json.ts';

const is = (field: string, value: string) => ({ field, operator: '=' as const, value });
const isNot = (field: string, value: string) => ({ field, operator: '!=' as const, value });

describe('parseFieldSelector', () => {
  it.each<[string, FieldSelector]>([
    ['', []],
    [',', []],
    ['metadata.name=x', [is('metadata.name', 'x')]],
    ['metadata.name==x', [is('metadata.name', 'x')]],
    ['metadata.name!=x', [isNot('metadata.name', 'x')]],
    ['a=,b!=', [is('a', ''), isNot('b', '')]],
    ['a=x,,b=y,', [is('a', 'x'), is('b', 'y')]],
    ['metadata.name=x,spec.nodeName!=y', [is('metadata.name', 'x'), isNot('spec.nodeName', 'y')]],
    ['a=x\\,y', [is('a', 'x,y')]],
    ['a=x\\=y\\\\', [is('a', 'x=y\\')]],
    ['a=\\\\,b=z', [is('a', '\\'), is('b', 'z')]],
    ['a=b!', [is('a', 'b!')]],
  ])('reads %j', (text, selector) => {
    expect(parseFieldSelector(text)).toEqual(selector);
  });

  it.each(['a', '=x', '!=x', 'a=b=c', 'a!==b', 'a===b', 'a=\\x', 'a=x\\', 'a=x,b', 'a>1'])(
    'refuses %j',
    (text) => {
      expect(parseFieldSelector(text)).toBeUndefined();
    },
  );

  it('reads back what was written', () => {
    const requirement = fc.record({
      field: fc.constantFrom('metadata.name', 'spec.nodeName'),
      operator: fc.constantFrom('=' as const, '!=' as const),
      value: fc.string({ unit: fc.constantFrom('\\', ',', '=', '!', 'a', ' ', '\n') }),
    });
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (selector) => {
        expect(parseFieldSelector(fieldSelectorText(selector))).toEqual(selector);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('matchesFields', () => {
  const pod = {
    metadata: { name: 'web' },
    spec: { nodeName: 'n1', hostNetwork: true, priority: 0, schedulerName: null },
  };
  it.each<[string, boolean]>([
    ['', true],
    ['metadata.name=web', true],
    ['metadata.name=db', false],
    ['metadata.name!=web', false],
    ['metadata.name=web,spec.nodeName=n1', true],
    ['metadata.name=web,spec.nodeName=n2', false],
    ['spec.nodeName!=n2', true],
    ['status.phase!=Running', true],
    ['status.phase=Running', false],
    ['status.phase=', true],
    ['spec.schedulerName=', true],
    ['spec.hostNetwork=true', true],
    ['spec.priority=0', true],
    ['metadata.constructor=', true],
    ['metadata.name.x=', true],
  ])('judges %j', (text, expected) => {
    expect(matchesFields(parseFieldSelector(text) ?? [], pod)).toBe(expected);
  });

  it.each<[string, JsonObject, boolean]>([
    ['spec.unschedulable=false', { spec: {} }, true],
    ['spec.unschedulable=', { spec: {} }, false],
    ['spec.unschedulable=true', { spec: { unschedulable: true } }, true],
    ['spec.hostNetwork!=false', { spec: {} }, false],
    ['spec.host=n1', { spec: { nodeName: 'n1' } }, true],
    ['status.successful=0', { status: {} }, true],
    ['status.successful=2', { status: { succeeded: 2 } }, true],
    ['source=kubelet', { source: { component: 'kubelet', host: 'n1' } }, true],
    ['source=kubelet', { source: {}, reportingComponent: 'kubelet' }, true],
    ['source=kubelet', { source: { component: 'a' }, reportingComponent: 'kubelet' }, false],
  ])('judges %j as the API server, of %j', (text, object, expected) => {
    expect(matchesFields(parseFieldSelector(text) ?? [], object)).toBe(expected);
  });
});
