import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { configurationOf } from '#shared/domain/pod-bootstrap/configuration.ts';
import { allFeatures, featureKey } from '#shared/domain/pod-bootstrap/feature.ts';
import { type Wish, wishOf } from '#shared/domain/pod-bootstrap/pull-secret-wish.ts';
import { namespaceOf, optOut } from '#test/support/pull-secret.ts';
import { documentOf } from './bootstrapping.ts';

const key = featureKey('add-img-pull-secret');
const { podBootstrap } = settingsFixed().current();

function wishIn(annotations: Readonly<Record<string, string>>, document: JsonObject = {}): Wish {
  const read = documentOf({ overrides: {}, availableFeatures: [key], ...document });
  return wishOf(namespaceOf('team-a', annotations), configurationOf(read, podBootstrap));
}

const enforced = { enforced: { 'team-a': [key] } };

describe('whether a namespace wants the pull secret', () => {
  it.each<[string, Readonly<Record<string, string>>, JsonObject, Wish]>([
    ['it says nothing', {}, {}, 'wanted'],
    ['it says nothing, and pods have to ask', {}, { defaultMode: 'optIn' }, 'wanted'],
    ['it says no', optOut, {}, 'opted-out'],
    ['it says no where pods have to ask', optOut, { defaultMode: 'optIn' }, 'opted-out'],
    ['it says no to all', { [allFeatures]: 'false' }, {}, 'opted-out'],
    ['it says no to all but this', { [allFeatures]: 'false', [key]: 'true' }, {}, 'wanted'],
    ['it says what is no word', { [key]: 'False' }, {}, 'wanted'],
    ['it says no, and the platform insists', optOut, enforced, 'wanted'],
    [
      'it says no, and the platform has it as a default',
      optOut,
      { namespaceFeatures: { 'team-a': [key] } },
      'opted-out',
    ],
    ['the platform does not offer it', {}, { availableFeatures: [] }, 'unavailable'],
  ])('where %s', (_, annotations, document, expected) => {
    expect(wishIn(annotations, document)).toBe(expected);
  });

  it('is not known without a document', () => {
    expect(wishOf(namespaceOf('team-a'), undefined)).toBe('unavailable');
  });
});
