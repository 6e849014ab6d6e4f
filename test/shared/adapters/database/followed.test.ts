import { describe, expect, it } from 'vitest';
import { type FollowedScope, isFollowed } from '#shared/adapters/database/followed.ts';
import { namespaces, pods } from '#shared/domain/kind.ts';
import { scopeName } from '#shared/domain/watched.ts';

const whole: FollowedScope = {
  group: '',
  resource: 'pods',
  scope: scopeName({ kind: pods }),
  changes: 1,
  isWatching: true,
  isLed: true,
  quietMs: 90_000,
};
const one: FollowedScope = { ...whole, scope: scopeName({ kind: pods, namespace: 'team-a' }) };
const some: FollowedScope = { ...whole, scope: scopeName({ kind: pods, labels: 'app=web' }) };
const lean: FollowedScope = {
  ...whole,
  scope: scopeName({ kind: namespaces, metadataOnly: true }),
};

describe('a kind', () => {
  it.each<[boolean, string, readonly FollowedScope[]]>([
    [false, 'that nobody follows', []],
    [true, 'that somebody follows', [whole]],
    [true, 'of which only metadata is followed', [lean]],
    [true, 'with a narrower scope beside it', [whole, one]],
    [false, 'of one namespace alone', [one]],
    [false, 'of some labels alone', [some]],
    [false, 'that is being listed', [{ ...whole, isWatching: false }]],
    [false, 'that nobody leads', [{ ...whole, isLed: false }]],
    [false, 'that is quiet for too long', [{ ...whole, quietMs: 90_001 }]],
    [true, 'that is heard of by a clock which was set right', [{ ...whole, quietMs: -1_000 }]],
    [false, 'that was heard of before the clock was set back', [{ ...whole, quietMs: -1_001 }]],
    [false, 'of which one scope is not led', [whole, { ...one, isLed: false }]],
  ])('counts as known (%s) %s', (expected, _, scopes) => {
    expect(isFollowed(scopes, 90_000)).toBe(expected);
  });
});

describe('one object', () => {
  const enough = [one.scope, whole.scope];
  const other: FollowedScope = { ...whole, scope: scopeName({ kind: pods, namespace: 'team-b' }) };

  it.each<[boolean, string, readonly FollowedScope[]]>([
    [true, 'of a kind that somebody follows', [whole]],
    [true, 'whose place somebody follows', [one]],
    [true, 'beside another place that nobody leads', [one, { ...other, isLed: false }]],
    [true, 'beside another place that is being listed', [one, { ...other, isWatching: false }]],
    [false, 'of which only another place is followed', [other]],
    [false, 'whose place nobody leads', [{ ...one, isLed: false }, other]],
    [false, 'whose place is quiet for too long', [{ ...one, quietMs: 90_001 }, other]],
  ])('counts as known (%s) %s', (expected, _, scopes) => {
    expect(isFollowed(scopes, 90_000, enough)).toBe(expected);
  });
});
