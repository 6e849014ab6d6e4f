import { describe, expect, it } from 'vitest';
import { bootstrapPolicy } from '#infra/emulator/cluster/access/bootstrap/policy.ts';
import { openAccess } from '#infra/emulator/cluster/access/open-access.ts';
import { newSigningKey } from '#infra/emulator/cluster/access/tokens/signing.ts';
import type { Credentials } from '#infra/emulator/cluster/parts.ts';
import { objectsRead } from './objects-read.ts';
import { bound, role, rule } from './roles.ts';

const access = openAccess({
  reading: objectsRead(
    ...bootstrapPolicy(),
    role(
      'actor',
      rule('', 'users', 'impersonate', 'alice'),
      rule('', 'groups', 'impersonate', 'team'),
    ),
    bound('acts', 'ClusterRole actor', 'User carol'),
  ),
  tokens: new Map([['admin-token', { name: 'admin', groups: ['system:masters'] }]]),
  signingKey: newSigningKey(),
  now: () => new Date('2030-01-01T00:00:00Z'),
});

function whoIs(stated: Partial<Credentials>) {
  const nothing = { authorization: undefined, certificate: undefined, impersonate: {} };
  return access.whoIs({ ...nothing, ...stated });
}

const admin = { authorization: 'Bearer admin-token' };
const carol = { certificate: { CN: 'carol', O: ['dev'] } };

describe('who asks', () => {
  it.each<[string, Partial<Credentials>, object]>([
    ['by nothing', {}, { name: 'system:anonymous', groups: ['system:unauthenticated'] }],
    [
      'by a token that is stated',
      admin,
      { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    ],
    ['by a certificate', carol, { name: 'carol', groups: ['dev', 'system:authenticated'] }],
    ['by both', { ...admin, ...carol }, { name: 'carol' }],
    ['by another scheme', { authorization: 'Basic eDp5' }, { name: 'system:anonymous' }],
    ['by an unknown token', { authorization: 'Bearer x' }, { code: 401 }],
  ])('is known %s', async (_, stated, expected) => {
    expect(await whoIs(stated)).toMatchObject(expected);
  });
});

describe('who speaks for another', () => {
  it('is that one, with the groups and extras that he names', async () => {
    const impersonate = {
      'impersonate-user': ['x'],
      'impersonate-group': ['g1', 'g2'],
      'impersonate-uid': ['u1'],
      'impersonate-extra-a%2fb': ['1', '2'],
    };
    expect(await whoIs({ ...admin, impersonate })).toEqual({
      name: 'x',
      uid: 'u1',
      groups: ['g1', 'g2', 'system:authenticated'],
      extra: { 'a/b': ['1', '2'] },
    });
  });

  it.each([
    [
      'system:serviceaccount:home:robot',
      ['system:serviceaccounts', 'system:serviceaccounts:home', 'system:authenticated'],
    ],
    ['system:anonymous', ['system:unauthenticated']],
    ['x', ['system:authenticated']],
  ])('as %s has the groups of such a name', async (name, groups) => {
    const impersonate = { 'impersonate-user': [name] };
    expect(await whoIs({ ...admin, impersonate })).toEqual({ name, groups });
  });

  it.each<[string, Readonly<Record<string, readonly string[]>>, object]>([
    [
      'whom he may',
      { 'impersonate-user': ['alice'], 'impersonate-group': ['team'] },
      { name: 'alice' },
    ],
    [
      'whom he may not',
      { 'impersonate-user': ['bob'] },
      {
        code: 403,
        body: {
          message:
            'users "bob" is forbidden: User "carol" cannot impersonate resource "users" in API group "" at the cluster scope',
        },
      },
    ],
    [
      'whom he may in a group that he may not',
      { 'impersonate-user': ['alice'], 'impersonate-group': ['system:masters'] },
      { code: 403, body: { details: { kind: 'groups', name: 'system:masters' } } },
    ],
    [
      'a group and nobody',
      { 'impersonate-group': ['g'] },
      { code: 400, body: { message: 'requested [{Group  g    }] without impersonating a user' } },
    ],
  ])('takes %s', async (_, impersonate, expected) => {
    expect(await whoIs({ ...carol, impersonate })).toMatchObject(expected);
  });
});
