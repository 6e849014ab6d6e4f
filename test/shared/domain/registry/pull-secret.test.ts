import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDockerConfig, readLegacyDockerConfig } from '#shared/domain/registry/docker-config.ts';
import { readPullSecret } from '#shared/domain/registry/pull-secret.ts';

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const config = (entry: unknown) => JSON.stringify({ auths: { 'a.test': entry } });
const pair = (username: string, password: string) => ({ kind: 'password', username, password });

describe('an entry of a Docker configuration', () => {
  it.each<[string, unknown, object]>([
    ['a pair', { username: 'u', password: 'p' }, pair('u', 'p')],
    ['an encoded pair', { auth: base64('u:p') }, pair('u', 'p')],
    ['one without padding', { auth: base64('u:pw').replace(/=/g, '') }, pair('u', 'pw')],
    ['a password with colons', { auth: base64('u:a:b:c') }, pair('u', 'a:b:c')],
    ['a password of other letters', { auth: base64('ü:pässwörd') }, pair('ü', 'pässwörd')],
    ['an empty password', { auth: base64('u:') }, pair('u', '')],
    [
      'both forms, of which the encoded one holds',
      { username: 'x', password: 'y', auth: base64('u:p') },
      pair('u', 'p'),
    ],
    [
      'an identity token beside its placeholder',
      { auth: base64('00000000-0000-0000-0000-000000000000:'), identitytoken: 'i' },
      { kind: 'identity-token', token: 'i' },
    ],
    ['a registry token', { registrytoken: 'r' }, { kind: 'registry-token', token: 'r' }],
    [
      'nulls, as Go writes them',
      { username: 'u', password: 'p', auth: null, email: 'e' },
      pair('u', 'p'),
    ],
    [
      'an encoded pair with lines',
      { auth: `${base64('user:password')}\n` },
      pair('user', 'password'),
    ],
  ])('is read: %s', (_, entry, credential) => {
    expect(readDockerConfig(config(entry))).toEqual({
      logins: [{ place: 'a.test', credential }],
      problems: [],
    });
  });

  it.each<[string, unknown]>([
    ['it is empty', {}],
    ['it is null', null],
    ['it is text', 'secret-word'],
    ['its code is none', { auth: '%secret-word%' }],
    ['its code has no colon', { auth: base64('secret-word') }],
    ['its code is cut', { auth: 'abcde' }],
    ['a name is a number', { username: 7, password: 'secret-word' }],
  ])('is told of, without what is in it, where %s, and the others hold', (_, entry) => {
    const good = { username: 'u', password: 'p' };
    const read = readDockerConfig(JSON.stringify({ auths: { 'bad.test': entry, 'a.test': good } }));
    expect(read.logins).toEqual([{ place: 'a.test', credential: pair('u', 'p') }]);
    expect(read.problems).toEqual(['the entry "bad.test" holds no credentials that can be read']);
  });
});

describe('a pull secret', () => {
  const entries = { 'https://index.docker.io/v1/': { auth: base64('u:p') } };
  const logins = [{ place: 'https://index.docker.io/v1/', credential: pair('u', 'p') }];

  it.each([
    ['.dockerconfigjson', { auths: entries }],
    ['config.json', { auths: entries }],
    ['.dockercfg', entries],
  ])('is read under %s', (key, content) => {
    expect(readPullSecret({ [key]: base64(JSON.stringify(content)) })).toEqual({
      logins,
      problems: [],
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ['of another kind', { token: 'x' }, 'it has no Docker configuration'],
    ['that is no base64', { '.dockercfg': '%' }, 'its .dockercfg is no base64'],
    ['that is no JSON', { '.dockercfg': base64('{') }, 'it is no Docker configuration'],
    ['that is a list', { '.dockercfg': base64('[]') }, 'it is no Docker configuration'],
    [
      'whose auths are text',
      { '.dockerconfigjson': base64('{"auths":"x"}') },
      'it is no Docker configuration',
    ],
  ])('%s gives nothing but a problem', (_, data, problem) => {
    expect(readPullSecret(data)).toEqual({ logins: [], problems: [problem] });
  });

  it('without auths has none', () => {
    expect(readDockerConfig('{"credsStore":"x"}')).toEqual({ logins: [], problems: [] });
  });

  it.each<[string, number, (at: number) => string]>([
    ['hosts', 2_000, (at) => `r${at}.test`],
    ['patterns', 200, (at) => `*.r${at}.test`],
  ])('of more %s than %i says that there are more', (_, most, nameOf) => {
    const of = (count: number) => {
      const names = Array.from({ length: count }, (_none, at) => nameOf(at));
      const auths = Object.fromEntries(names.map((name) => [name, { auth: btoa('ann:word') }]));
      return readDockerConfig(
        JSON.stringify({ auths: { ...auths, 'last.test:5000': { auth: btoa('bob:word') } } }),
      );
    };
    const last = { place: 'last.test:5000' };
    expect(of(most - 1).logins.at(-1)).toMatchObject(last);
    expect(of(most - 1).problems).toEqual([]);
    const { logins, problems } = of(most + 1);
    expect(logins[0]).toMatchObject({ place: nameOf(0) });
    expect(logins.at(-1)).toMatchObject({ why: 'left-out' });
    expect(problems).toEqual(['it has more entries than are read']);
  });

  it('that is too deep is none', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const broken = { logins: [], problems: ['it is no Docker configuration'] };
    expect(readDockerConfig(`{"auths":{"a.test":${deep}}}`)).toEqual(broken);
  });

  it('of any content breaks nothing, and tells no secret', () => {
    const field = fc.oneof(
      fc.constant('TOP-SECRET'),
      fc.constant(btoa('TOP-SECRET')),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const keys = fc.constantFrom(
      'auth',
      'username',
      'password',
      'identitytoken',
      'registrytoken',
      '__proto__',
    );
    const entry = fc.oneof(fc.dictionary(keys, field), fc.jsonValue({ maxDepth: 2 }));
    const source = fc.dictionary(
      fc.constantFrom('a.test', '*', '', '__proto__', 'constructor'),
      entry,
    );
    fc.assert(
      fc.property(source, (auths) => {
        const [new_, old] = [
          readDockerConfig(JSON.stringify({ auths })),
          readLegacyDockerConfig(JSON.stringify(auths)),
        ];
        expect(new_).toEqual(old);
        expect(new_.problems.join()).not.toContain('TOP-SECRET');
        expect(new_.logins.length + new_.problems.length).toBe(Object.keys(auths).length);
      }),
      { seed: 6_003, numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readPullSecret({ '.dockerconfigjson': text }).logins).toEqual([]);
        expect(readDockerConfig(text).logins).toEqual([]);
      }),
      { seed: 6_004, numRuns: 500 },
    );
  });
});
