import { describe, expect, it } from 'vitest';
import { fingerprintOf, followedFrom } from '#events/forwarder/followed.ts';
import { namespaces, pods, secrets } from '#shared/domain/kind.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { deployments } from './builders.ts';

function scopesOf(...watches: readonly Watch[]): readonly string[] {
  const subscriptions = watches.map((watch, index) => ({ function: `f${index}`, watch }));
  return followedFrom(subscriptions).map(({ scope }) => scopeName(scope));
}

const matchLabels = { app: 'web' };

describe('followedFrom', () => {
  it.each<[string, readonly Watch[], readonly string[]]>([
    ['a loop a kind', [{ of: pods }, { of: namespaces }], ['namespaces', 'pods']],
    ['one loop for two functions', [{ of: pods }, { of: pods }], ['pods']],
    [
      'two namespaces apart',
      [
        { of: pods, namespace: 'a' },
        { of: pods, namespace: 'b' },
      ],
      ['pods/a', 'pods/b'],
    ],
    ['a namespace within all', [{ of: pods, namespace: 'a' }, { of: pods }], ['pods']],
    [
      'two names apart',
      [
        { of: secrets, name: 'a' },
        { of: secrets, name: 'b' },
      ],
      ['secrets?metadata.name=a&metadata', 'secrets?metadata.name=b&metadata'],
    ],
    [
      'one name in two namespaces',
      [
        { of: secrets, name: 'a', namespace: 'x' },
        { of: secrets, name: 'a', namespace: 'y' },
      ],
      ['secrets/x?metadata.name=a&metadata', 'secrets/y?metadata.name=a&metadata'],
    ],
    ['labels on our side', [{ of: pods, labels: { matchLabels } }], ['pods']],
    [
      'labels at the server',
      [{ of: pods, labels: { matchLabels }, atServer: true }],
      ['pods?app=web'],
    ],
    [
      'fields at the server, however they are spelled',
      [
        { of: pods, fields: 'spec.nodeName==a,', atServer: true },
        { of: pods, fields: 'spec.nodeName=a', atServer: true },
      ],
      ['pods?spec.nodeName=a'],
    ],
    [
      'a name that is spelled as a field, beside that name',
      [
        { of: pods, fields: 'metadata.name==a', atServer: true },
        { of: pods, name: 'a' },
      ],
      ['pods?metadata.name=a'],
    ],
    [
      'selectors at the server that select everything',
      [{ of: pods, labels: {}, fields: '', atServer: true }],
      ['pods'],
    ],
    [
      'labels at the server beside all',
      [{ of: pods, labels: { matchLabels }, atServer: true }, { of: pods }],
      ['pods'],
    ],
    [
      'metadata where all want no more',
      [
        { of: pods, metadataOnly: true },
        { of: pods, metadataOnly: true },
      ],
      ['pods?metadata'],
    ],
    [
      'whole objects where one wants them',
      [{ of: pods, metadataOnly: true }, { of: pods }],
      ['pods'],
    ],
    [
      'what joins two others',
      [{ of: pods, namespace: 'a' }, { of: pods, namespace: 'b' }, { of: pods }],
      ['pods'],
    ],
  ])('makes %s', (_, watches, expected) => {
    expect(scopesOf(...watches)).toEqual(expected);
  });

  it('keeps all who are woken by a joined loop', () => {
    const [only] = followedFrom([
      { function: 'one', watch: { of: pods, namespace: 'a' } },
      { function: 'two', watch: { of: pods } },
    ]);
    expect(only?.subscriptions.map((each) => each.function)).toEqual(['one', 'two']);
  });

  it('follows what is only read', () => {
    expect(followedFrom([], [{ kind: deployments }]).map(({ scope }) => scopeName(scope))).toEqual([
      'deployments.apps',
    ]);
  });
});

describe('sets', () => {
  it('are of the kinds that somebody wakes all of, wherever those are followed', () => {
    const watch = { of: namespaces, wakes: { all: pods } };
    const split = ['a', 'b'].map((namespace) => ({ kind: pods, namespace }));
    const followed = followedFrom([{ function: 'f', watch }], [...split, { kind: deployments }]);
    expect(followed.map(({ scope, isOfSets }) => [scopeName(scope), isOfSets])).toEqual([
      ['deployments.apps', undefined],
      ['namespaces', undefined],
      ['pods/a', true],
      ['pods/b', true],
    ]);
  });
});

describe('fingerprintOf', () => {
  it('changes with the trigger, and not with the maker of an index', () => {
    const of = (watch: Watch) => fingerprintOf([{ function: 'f', watch }]);
    expect(of({ of: pods, on: ['added'] })).not.toBe(of({ of: pods }));
    expect(of({ of: pods, indexes: { a: () => [] } })).toBe(of({ of: pods }));
  });
});
