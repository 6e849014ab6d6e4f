import { describe, expect, it } from 'vitest';
import { outcomeOf } from '#infra/embedded-postgres/launch.ts';
import { isServerOf } from '#infra/embedded-postgres/left-over.ts';
import { accountsIn, ownersFirst, run, type Way, waysFor } from '#infra/embedded-postgres/way.ts';

const passwd = `root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
anna:x:1000:1000::/home/anna:/bin/bash
+::::::
`;
const accounts = accountsIn(passwd);
const withPostgres = [...accounts, { name: 'postgres', uid: 101, gid: 104 }];
const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 };

describe('waysFor', () => {
  it.each([
    ['a user with a name: as itself', 1000, accounts, ['self']],
    ['root: another user, else a namespace', 0, accounts, ['user nobody', 'namespace nobody']],
    [
      'root: the user postgres where there is one',
      0,
      withPostgres,
      ['user postgres', 'namespace postgres'],
    ],
    ['a user without a name: a namespace', 4711, accounts, ['namespace nobody']],
    ['root, with nobody else in the list: no way', 0, accountsIn('root:x:0:0'), []],
  ])('gives %s', (_, uid, known, expected) => {
    const ways = waysFor(uid, known);
    expect(
      ways.map((way) => (way.kind === 'self' ? 'self' : `${way.kind} ${way.account.name}`)),
    ).toEqual(expected);
  });
});

describe('ownersFirst', () => {
  const ways: readonly Way[] = waysFor(0, accounts);
  const root = { uid: 0, gid: 0 };
  const anna = { uid: 1000, gid: 1000 };
  it.each([
    ['the owner of the data before all others', root, anna, [1000, 65_534, 65_534]],
    ['no owner twice', root, nobody, [65_534, 65_534]],
    ['nobody else where there are no data', root, undefined, [65_534, 65_534]],
    ['not root itself', root, root, [65_534, 65_534]],
    ['nobody else for who is not root', anna, { uid: 4711, gid: 1 }, [65_534, 65_534]],
  ])('has %s', (_, me, owner, expected) => {
    const uids = ownersFirst(ways, { me, owner }).map((way) => Object(way).account.uid);
    expect(uids).toEqual(expected);
  });
});

describe('run', () => {
  it.each([
    ['as itself', { kind: 'self' } as const, { command: 'postgres', args: ['-V'], as: {} }],
    [
      'as another user',
      { kind: 'user', account: nobody } as const,
      { command: 'postgres', args: ['-V'], as: { uid: 65_534, gid: 65_534 } },
    ],
    [
      'in a namespace of its own',
      { kind: 'namespace', account: nobody } as const,
      {
        command: 'unshare',
        args: ['--user', '--map-user=65534', '--map-group=65534', '--', 'postgres', '-V'],
        as: {},
      },
    ],
  ])('runs a program %s', (_, way, expected) => {
    expect(run(way, 'postgres', ['-V'])).toEqual(expected);
  });
});

describe('isServerOf', () => {
  it.each([
    ['a server of the folder', '/opt/bin/postgres\0-D\0/state/data\0-c\0port=1', true],
    ['a server of another folder', '/opt/bin/postgres\0-D\0/other/data\0', false],
    ['another program that names the folder', '/bin/ls\0-D\0/state/data\0', false],
    ['a process that is gone', '', false],
  ])('judges %s', (_, commandLine, expected) => {
    expect(isServerOf('/state/data', commandLine)).toBe(expected);
  });
});

describe('outcomeOf', () => {
  it.each([
    [
      'a port that somebody took',
      'LOG:  could not bind IPv4 address "127.0.0.1": Address already in use',
      'port-taken',
    ],
    [
      'backends of a killed server',
      'FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use',
      'still-held',
    ],
    ['anything else', 'FATAL:  data directory "/x" has wrong ownership', 'failed'],
  ])('tells %s from what was said', (_, said, expected) => {
    expect(outcomeOf(said)).toBe(expected);
  });
});
