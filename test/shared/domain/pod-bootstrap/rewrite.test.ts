import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rewriterOf, rewritten, rulesOf } from '#shared/domain/pod-bootstrap/rewrite.ts';

type Rules = Parameters<typeof rulesOf>[0];

function rewriting(rules: Partial<Rules>) {
  const whole = rulesOf({ overrides: {}, pathOverrides: {}, dockerHubNames: false, ...rules });
  return (image: string) => rewritten(image, whole) ?? image;
}

const digest = `sha256:${'0a'.repeat(32)}`;

describe('an image whose host is overridden', () => {
  it.each<[string, string, Record<string, string>, string]>([
    [
      'B1 a host',
      'test.com/me/plz:now',
      { 'test.com': 'test-registry' },
      'test-registry/me/plz:now',
    ],
    [
      'B21 a port is part of the host',
      'test.com:2000/this/too:plz',
      { 'test.com': 'R' },
      'test.com:2000/this/too:plz',
    ],
    ['B1 a host with its port', 'test.com:2000/a:b', { 'test.com:2000': 'R' }, 'R/a:b'],
    ['B21 a name alone', 'nginx', { 'docker.io': 'R' }, 'nginx'],
    ['B21 a name and a tag', 'nginx:1.27', { 'docker.io': 'R' }, 'nginx:1.27'],
    ['B21 a path alone', 'library/nginx', { 'docker.io': 'R' }, 'library/nginx'],
    ['B21 a path and a digest', `org/app@${digest}`, { 'docker.io': 'R' }, `org/app@${digest}`],
    [
      'B21 Docker Hub written out',
      'docker.io/library/nginx:1',
      { 'docker.io': 'R' },
      'R/library/nginx:1',
    ],
    ['B21 Docker Hub without library', 'docker.io/nginx', { 'docker.io': 'R' }, 'R/nginx'],
    ['B21 localhost is no host', 'localhost/x', { localhost: 'R' }, 'localhost/x'],
    ['B21 localhost with a port is one', 'localhost:5000/x', { 'localhost:5000': 'R' }, 'R/x'],
    ['B21 a target with a path', 'a.io/x', { 'a.io': 'mirror.io/a.io' }, 'mirror.io/a.io/x'],
    ['a target that ends with a slash', 'a.io/x', { 'a.io': 'b.io/' }, 'b.io/x'],
    ['B21 letters of another case', 'A.IO/x', { 'a.io': 'R' }, 'A.IO/x'],
    ['a tag and a digest', `a.io/x:1@${digest}`, { 'a.io': 'b.io' }, `b.io/x:1@${digest}`],
    ['itself', 'a.io/x', { 'a.io': 'a.io' }, 'a.io/x'],
    ['what is no name of an image', 'a.io/X Y', { 'a.io': 'b.io' }, 'a.io/X Y'],
    ['a host that objects inherit', 'constructor/x', { 'a.io': 'b.io' }, 'constructor/x'],
    [
      'a name that would become too long',
      `a.io/${'x'.repeat(250)}`,
      { 'a.io': 'b.io/mirror' },
      `a.io/${'x'.repeat(250)}`,
    ],
  ])('follows the rules: %s', (_, image, overrides, expected) => {
    expect(rewriting({ overrides })(image)).toBe(expected);
  });

  it.each<[string, string, Record<string, string>]>([
    ['the target of another rule', 'b.io/x', { 'a.io': 'b.io', 'b.io': 'c.io' }],
    ['the host of a target that has a path', 'b.io/other', { 'a.io': 'b.io/a', 'b.io': 'c.io' }],
    ['a target in other letters', 'B.IO/x', { 'a.io': 'b.io', 'B.IO': 'c.io' }],
    ['two rules that lead to each other', 'a.io/x', { 'a.io': 'b.io', 'b.io': 'a.io' }],
  ])('is never led further: %s', (_, image, overrides) => {
    expect(rewriting({ overrides })(image)).toBe(image);
  });
});

describe('an image whose path is overridden', () => {
  const pathOverrides = {
    'a.io/team': 'm.io/t',
    'a.io/team/app/': 'm.io/special',
    localhost: 'm.io/local',
    'a.io:5000/x': 'm.io/port',
  };
  const rewrite = rewriting({ pathOverrides, overrides: { 'a.io': 'm.io/rest' } });

  it.each([
    ['the path', 'a.io/team/other:1', 'm.io/t/other:1'],
    ['the longest path', 'a.io/team/app/web:1', 'm.io/special/web:1'],
    ['the whole name, with its tag', 'a.io/team/app:1', 'm.io/special:1'],
    ['the whole name, with its digest', `a.io/team/app@${digest}`, `m.io/special@${digest}`],
    ['no part of a part', 'a.io/teams/x', 'm.io/rest/teams/x'],
    ['the host where no path fits', 'a.io/x', 'm.io/rest/x'],
    ['localhost, which no host rule takes', 'localhost/x', 'm.io/local/x'],
    ['a port', 'a.io:5000/x/y', 'm.io/port/y'],
  ])('goes by %s', (_, image, expected) => {
    expect(rewrite(image)).toBe(expected);
  });
});

describe('names of Docker Hub', () => {
  const rewrite = rewriting({
    dockerHubNames: true,
    overrides: { 'docker.io': 'hub' },
    pathOverrides: { 'docker.io/library': 'hub/official' },
  });

  it.each([
    ['nginx', 'hub/official/nginx'],
    ['nginx:1.27', 'hub/official/nginx:1.27'],
    [`org/app@${digest}`, `hub/org/app@${digest}`],
    ['docker.io/nginx', 'hub/official/nginx'],
    ['index.docker.io/org/app', 'hub/org/app'],
    // A target without a dot looks like a path on Docker Hub.
    ['hub/org/app', 'hub/org/app'],
    ['a.io/x', 'a.io/x'],
  ])('are read as the runtimes read them, where that is switched on: %s', (image, expected) => {
    expect(rewrite(image)).toBe(expected);
  });
});

describe('rules for Docker Hub as it is written', () => {
  const overrides = { 'index.docker.io': 'm.io/index' };
  const both = { ...overrides, 'docker.io': 'm.io/hub' };
  const path = { 'index.docker.io/org': 'm.io/org' };
  const deep = { 'docker.io/org': 'm.io/other', 'index.docker.io/org/app': 'm.io/deep' };
  const tie = { 'docker.io/org': 'm.io/other', 'index.docker.io/org': 'm.io/org' };

  it.each<[string, string, Partial<Rules>, string]>([
    ['a host', 'index.docker.io/org/app:1', { overrides }, 'm.io/index/org/app:1'],
    ['a host, as it is written', 'index.docker.io/nginx', { overrides }, 'm.io/index/nginx'],
    ['no other host', 'docker.io/org/app', { overrides }, 'docker.io/org/app'],
    ['no short name', 'org/app', { overrides }, 'org/app'],
    ['the name in full first', 'index.docker.io/a/b', { overrides: both }, 'm.io/hub/a/b'],
    [
      'a path',
      `index.docker.io/org/app@${digest}`,
      { pathOverrides: path },
      `m.io/org/app@${digest}`,
    ],
    [
      'a path before the host of the name in full',
      'index.docker.io/org/app',
      { overrides: both, pathOverrides: path },
      'm.io/org/app',
    ],
    [
      'the longest path, however it is spelled',
      'index.docker.io/org/app',
      { pathOverrides: deep },
      'm.io/deep',
    ],
    [
      'the path of the name in full where both are as long',
      'index.docker.io/org/app',
      { pathOverrides: tie },
      'm.io/other/app',
    ],
    ['a short name', 'nginx:1', { pathOverrides: { nginx: 'm.io/web' } }, 'm.io/web:1'],
  ])('hold where names are read in full: %s', (_, image, rules, expected) => {
    const rewrite = rewriting({ dockerHubNames: true, ...rules });
    expect(rewrite(image)).toBe(expected);
    expect(rewrite(expected)).toBe(expected);
  });
});

describe('what comes out of rewriting', () => {
  const host = fc.constantFrom(
    'a.io',
    'b.io',
    'B.io',
    'c.io:5000',
    'hub',
    'localhost',
    'docker.io',
    'index.docker.io',
  );
  const place = fc
    .tuple(host, fc.constantFrom('', '/', '/x', '/x/y', '/library'))
    .map((parts) => parts.join(''));
  const image = fc
    .tuple(
      place,
      fc.constantFrom('/x', '/y/z', '', '/library/nginx'),
      fc.constantFrom('', ':1', `@${digest}`),
    )
    .map((parts) => parts.join(''));
  const rules = fc.record({
    overrides: fc.dictionary(host, place, { maxKeys: 4 }),
    pathOverrides: fc.dictionary(place, place, { maxKeys: 3 }),
    dockerHubNames: fc.boolean(),
  });

  it('stays where it is, where a whole name becomes one that looks like Docker Hub', () => {
    const pathOverrides = { 'a.io/x': 'hub' };
    const rewrite = rewriting({
      pathOverrides,
      overrides: { 'docker.io': 'b.io' },
      dockerHubNames: true,
    });
    expect(rewrite('a.io/x:1')).toBe('hub:1');
    expect(rewrite('hub:1')).toBe('hub:1');
  });

  it('is nothing where a target would be read as a name and a tag', () => {
    const rewrite = rewriting({
      pathOverrides: { 'a.io/x': 'hub:5000' },
      overrides: { 'docker.io': 'b.io' },
      dockerHubNames: true,
    });
    expect(rewrite('a.io/x')).toBe('a.io/x');
    expect(rewrite('a.io/x/y')).toBe('hub:5000/y');
  });

  it('becomes the same again, from what is remembered', () => {
    fc.assert(
      fc.property(rules, fc.array(image, { maxLength: 20 }), (stated, names) => {
        const whole = rulesOf(stated);
        const rewrite = rewriterOf(whole);
        for (const each of [...names, ...names]) expect(rewrite(each)).toBe(rewritten(each, whole));
      }),
      { numRuns: 300 },
    );
  });

  it('becomes the same after so many others that it is forgotten', () => {
    const whole = rulesOf({
      overrides: { 'a.io': 'b.io' },
      pathOverrides: {},
      dockerHubNames: false,
    });
    const rewrite = rewriterOf(whole);
    for (const pass of [1, 2]) {
      for (let count = 0; count < 5_000; count += 1) {
        expect(rewrite(`a.io/x:${count}`), `pass ${pass}`).toBe(`b.io/x:${count}`);
      }
    }
  });

  it('is never rewritten again, whatever the rules', () => {
    fc.assert(
      fc.property(rules, image, (stated, name) => {
        const rewrite = rewriting(stated);
        expect(rewrite(rewrite(name))).toBe(rewrite(name));
      }),
      { numRuns: 3_000 },
    );
  });
});
