import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseImage } from '#shared/domain/image.ts';
import { credentialsFor } from '#shared/domain/registry/keyring.ts';
import answers from './kubelet-keyring.golden.json' with { type: 'json' };

const login = (place: string) =>
  ({ place, credential: { kind: 'registry-token', token: place } }) as const;

function chosen(image: string, ...places: readonly string[]) {
  const parsed = parseImage(image);
  if (!parsed.ok) throw new Error(parsed.why);
  return credentialsFor(parsed.image, places.map(login)).map((each) =>
    each.kind === 'registry-token' ? each.token : each.kind,
  );
}

describe('the credentials for an image', () => {
  /** The cases of the kubelet's own TestURLsMatch, and of its keyring. */
  it.each([
    ['*.kubernetes.io', 'prefix.kubernetes.io/x', true],
    ['prefix.*.io', 'prefix.kubernetes.io/x', true],
    ['prefix.kubernetes.*', 'prefix.kubernetes.io/x', true],
    ['*-good.kubernetes.io', 'prefix-good.kubernetes.io/x', true],
    ['*.kubernetes.io/blah', 'prefix.kubernetes.io/blah', true],
    ['prefix.*.io/foo', 'prefix.kubernetes.io/foo/bar', true],
    ['*.kubernetes.io:1111/blah', 'prefix.kubernetes.io:1111/blah', true],
    ['*.kubernetes.io', 'kubernetes.io/x', false],
    ['*.*.kubernetes.io', 'prefix.kubernetes.io/x', false],
    ['*kubernetes.io', 'a.kubernetes.io/x', false],
    ['*kubernetes.io', 'kubernetes.io/x', true],
    ['*.*.*.kubernetes.io', 'a.b.c.kubernetes.io/x', true],
    ['kubernetes.io', 'kubernetes.com/x', false],
    ['k*.io', 'quay.io/x', false],
    ['*.kubernetes.io:1234/blah', 'prefix.kubernetes.io:1111/blah', false],
    ['prefix.*.io/foo', 'prefix.kubernetes.io:1111/foo/bar', false],
    ['https://prefix.*.io/path', 'prefix.docker.io/path/subpath', true],
    ['http://hello.kubernetes.io:5000', 'hello.kubernetes.io:5000/x', true],
    ['hello.kubernetes.io/v1/', 'hello.kubernetes.io/x', true],
    ['https://hello.kubernetes.io/v2/', 'hello.kubernetes.io/x', true],
    ['hello.kubernetes.io/', 'hello.kubernetes.io/x', true],
    ['hello.kubernetes.io/v1/team', 'hello.kubernetes.io/team/x', true],
    ['hello.kubernetes.io/v1/team', 'hello.kubernetes.io/other/x', false],
    ['hello.kubernetes.io/foo', 'hello.kubernetes.io/foo-evil', true],
    ['https://Hello.Kubernetes.IO/v1/', 'hello.kubernetes.io/x', true],
    ['a*b*c.test', 'axxbxxc.test/x', true],
    ['a*b*c.test', 'axxcxxb.test/x', false],
    ['a*ab.test', 'ab.test/x', false],
    ['hello.kubernetes.io.evil.test', 'hello.kubernetes.io/x', false],
    ['user@hello.kubernetes.io', 'hello.kubernetes.io/x', true],
    ['https://hello.kubernetes.io@evil.test', 'hello.kubernetes.io/x', false],
    ['hello.kubernetes.io/team?x=1#y', 'hello.kubernetes.io/team/x', true],
    ['ftp://hello.kubernetes.io', 'hello.kubernetes.io/x', false],
    ['', 'hello.kubernetes.io/x', false],
    ['https://', 'hello.kubernetes.io/x', false],
  ])('stand under %j for %s: %s', (place, image, expected) => {
    expect(chosen(image, place)).toEqual(expected ? [place] : []);
  });

  it.each([
    ['nginx', 'https://index.docker.io/v1/', true],
    ['library/nginx', 'index.docker.io', true],
    ['docker.io/team/app', 'https://index.docker.io/v1/', true],
    ['index.docker.io/team/app', 'docker.io', true],
    ['team/app', 'docker.io/team', true],
    ['quay.io/team/app', 'https://index.docker.io/v1/', false],
    ['evil.test/docker.io/app', 'https://index.docker.io/v1/', false],
  ])("for %s with Docker Hub's key %s: %s", (image, place, expected) => {
    expect(chosen(image, place)).toEqual(expected ? [place] : []);
  });

  it('are tried from the longest path on, and in the order of the secrets where it is the same', () => {
    const places = ['a.test', 'a.test/team/app', 'https://a.test', 'a.test/team', 'b.test'];
    expect(chosen('a.test/team/app', ...places)).toEqual([
      'a.test/team/app',
      'a.test/team',
      'a.test',
      'https://a.test',
    ]);
  });

  it("are Docker Hub's of old only where no key names it", () => {
    expect(chosen('nginx', 'https://index.docker.io/v1/', 'docker.io')).toEqual(['docker.io']);
  });

  /**
   * What `credentialprovider.BasicDockerKeyring` of Kubernetes 1.35.4 answers. Of 20,000 such questions 34 differed:
   * hosts in another case, which are the same host for us, and paths with %-escapes, which no repository has.
   */
  it("are those of the kubelet's own keyring, in its order", () => {
    expect(answers.length).toBeGreaterThan(100);
    for (const { image, places, tried } of answers) {
      expect([image, places, chosen(image, ...places)]).toEqual([image, places, tried]);
    }
  });

  it('are taken apart once for all images of a pod, whatever is asked of them', () => {
    let looked = 0;
    const places = ['a.test', '*.test', 'b.test/team', 'docker.io'];
    const logins = places.map((place) => ({
      ...login(place),
      get place() {
        looked += 1;
        return place;
      },
    }));
    const countFor = (registry: string, of: typeof logins) =>
      credentialsFor({ registry, repository: 'team/app' }, of).length;
    const registries = ['a.test', 'b.test', 'c.test', 'docker.io', 'a.b.test'];
    const counts = () => registries.map((registry) => countFor(registry, logins));
    expect([counts(), counts()]).toEqual([
      [2, 2, 1, 1, 0],
      [2, 2, 1, 1, 0],
    ]);
    expect(looked).toBeLessThanOrEqual(2 * places.length);
    expect(countFor('a.test', logins.slice(1))).toBe(1);
  });

  it('of a pattern of a million stars are not looked for in each name', () => {
    const logins = [login(`${'a*'.repeat(500_000)}.test`), login(`${'*'.repeat(500_000)}.test`)];
    const asked = { registry: `${'a'.repeat(60)}.test`, repository: 'team/app' };
    expect(credentialsFor(asked, logins)).toHaveLength(1);
    const began = performance.now();
    for (let image = 0; image < 500; image++) credentialsFor(asked, logins);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  const label = fc.stringMatching(/^[a-z0-9]{1,4}$/);
  const host = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
  const path = fc.array(label, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));

  it('of one host never go to another, however the keys are written', () => {
    const written = fc.tuple(
      fc.constantFrom('', 'https://', 'http://'),
      host,
      fc.constantFrom('', '/', '/v1/', '/v2/', '/team'),
    );
    fc.assert(
      fc.property(
        fc.array(written, { maxLength: 5 }),
        host,
        path,
        (places, registry, repository) => {
          const texts = places.map((parts) => parts.join(''));
          const own = places.filter(([, name]) => name === registry).map((parts) => parts.join(''));
          const found = chosen(`${registry}/${repository}`, ...texts);
          expect(found.every((place) => own.includes(place))).toBe(true);
        },
      ),
      { seed: 6_005, numRuns: 500 },
    );
  });

  it('with stars match as a pattern of each label would', () => {
    const glob = fc.array(fc.stringMatching(/^[ab*]{1,6}$/), { minLength: 2, maxLength: 3 });
    const name = fc.array(fc.stringMatching(/^[ab]{1,6}$/), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(glob, name, (pattern, labels) => {
        const expected =
          pattern.length === labels.length &&
          pattern.every((each, at) =>
            new RegExp(`^${each.replace(/\*+/g, '.*')}$`).test(labels[at] ?? ''),
          );
        const place = pattern.join('.');
        expect(chosen(`${labels.join('.')}/x`, place)).toEqual(expected ? [place] : []);
      }),
      { seed: 6_006, numRuns: 1_000 },
    );
  });
});
