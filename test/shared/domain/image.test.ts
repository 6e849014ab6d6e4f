import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, familiar, parseImage } from '#shared/domain/image.ts';

const sha256 = `sha256:${'f'.repeat(64)}`;
const sha384 = `sha384:${'0a'.repeat(48)}`;
const sha512 = `sha512:${'f'.repeat(128)}`;
const identifier = '1a3f5e7d9c1b3a5f7e9d1c3b5a7f9e1d3c5b7a9f1e3d5d7c9b1a3f5e7d9c1b3a';
const longest = `${'a/'.repeat(127)}a`;

function imageOf(text: string) {
  const parsed = parseImage(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.image;
}

describe('parseImage', () => {
  it.each<[string, string, string, (string | undefined)?, string?]>([
    ['nginx', 'docker.io', 'library/nginx'],
    ['nginx:1.27', 'docker.io', 'library/nginx', '1.27'],
    ['nginx:1.27-Alpine_x.y', 'docker.io', 'library/nginx', '1.27-Alpine_x.y'],
    ['nginx:_', 'docker.io', 'library/nginx', '_'],
    [`nginx@${sha256}`, 'docker.io', 'library/nginx', undefined, sha256],
    [`nginx:1.27@${sha256}`, 'docker.io', 'library/nginx', '1.27', sha256],
    [`nginx@${sha384}`, 'docker.io', 'library/nginx', undefined, sha384],
    [`nginx@${sha512}`, 'docker.io', 'library/nginx', undefined, sha512],
    ['docker.io/nginx', 'docker.io', 'library/nginx'],
    ['docker.io/library/nginx', 'docker.io', 'library/nginx'],
    ['docker.io/library/foo/bar', 'docker.io', 'library/foo/bar'],
    ['index.docker.io/nginx', 'docker.io', 'library/nginx'],
    ['index.docker.io/library/nginx', 'docker.io', 'library/nginx'],
    ['index.docker.io/grafana/grafana:11', 'docker.io', 'grafana/grafana', '11'],
    ['registry-1.docker.io/nginx', 'registry-1.docker.io', 'nginx'],
    ['library/nginx', 'docker.io', 'library/nginx'],
    ['grafana/grafana', 'docker.io', 'grafana/grafana'],
    ['store/foo/bar', 'docker.io', 'store/foo/bar'],
    ['test.com:tag', 'docker.io', 'library/test.com', 'tag'],
    ['test.com:5000', 'docker.io', 'library/test.com', '5000'],
    ['192.168.0.1', 'docker.io', 'library/192.168.0.1'],
    ['192.168.0.1:80', 'docker.io', 'library/192.168.0.1', '80'],
    ['localhost', 'docker.io', 'library/localhost'],
    ['localhost/app', 'localhost', 'app'],
    ['localhost:5000/app:5000', 'localhost:5000', 'app', '5000'],
    ['localhost-2/app', 'docker.io', 'localhost-2/app'],
    ['test:5000/repo', 'test:5000', 'repo'],
    [`test:5000/repo:tag@${sha256}`, 'test:5000', 'repo', 'tag', sha256],
    ['192.168.0.2:25000/debian', '192.168.0.2:25000', 'debian'],
    ['sub-dom1.foo.com/bar/baz/quux:tag', 'sub-dom1.foo.com', 'bar/baz/quux', 'tag'],
    ['b.gcr.io/test.example.com/app:test.x', 'b.gcr.io', 'test.example.com/app', 'test.x'],
    ['xn--n3h.com/myimage:xn--n3h.com', 'xn--n3h.com', 'myimage', 'xn--n3h.com'],
    ['example.com/a__b/c---d/e.f_g', 'example.com', 'a__b/c---d/e.f_g'],
    ['[2001:db8::1]/repo', '[2001:db8::1]', 'repo'],
    ['[::1]:5000/repo:tag', '[::1]:5000', 'repo', 'tag'],
    ['[FC00:1:2:3:4:5:6:7]:5000/library/debian', '[FC00:1:2:3:4:5:6:7]:5000', 'library/debian'],
    ['Docker/docker', 'Docker', 'docker'],
    ['DOCKER/docker', 'DOCKER', 'docker'],
    ['Registry.Example/app', 'Registry.Example', 'app'],
    ['docker/migrator', 'docker.io', 'docker/migrator'],
    ['test_com/foo', 'docker.io', 'test_com/foo'],
    ['d/docker', 'docker.io', 'd/docker'],
    [`docker.io/${identifier}`, 'docker.io', `library/${identifier}`],
    [identifier.slice(1), 'docker.io', `library/${identifier.slice(1)}`],
    [`example.com/${longest}:tag-puts-this-over`, 'example.com', longest, 'tag-puts-this-over'],
    [`nginx:${'t'.repeat(128)}`, 'docker.io', 'library/nginx', 't'.repeat(128)],
    ['https/github.com/docker', 'docker.io', 'https/github.com/docker'],
    ['test:65535/docker', 'test:65535', 'docker'],
    [`${'a.'.repeat(125)}io:65535/docker`, `${'a.'.repeat(125)}io:65535`, 'docker'],
  ])('reads %s', (original, registry, repository, tag, digest) => {
    expect(parseImage(original)).toEqual({
      ok: true,
      image: { original, registry, repository, tag, digest },
    });
  });

  it.each<[string, string]>([
    ['', 'empty'],
    [identifier, 'the id of an image'],
    // `distribution` reads the tag of an official image here, and containerd an id, of which the beginning is enough.
    [`sha256:${identifier}`, 'the id of an image'],
    ['sha256:0123abc', 'the id of an image'],
    ['sha512:0123abc', 'the id of an image'],
    [':justtag', 'form'],
    [`@${sha256}`, 'form'],
    ['nginx:', 'form'],
    ['nginx@', 'form'],
    ['nginx:-tag', 'form'],
    ['nginx:.tag', 'form'],
    [`nginx:${'t'.repeat(129)}`, 'form'],
    ['nginx:a:b', 'form'],
    [`nginx@${sha256}@${sha256}`, 'form'],
    [`nginx@${sha256}:tag`, 'form'],
    [' nginx', 'form'],
    ['nginx ', 'form'],
    ['nginx\n', 'form'],
    ['ngi\u006e\u0303x', 'form'],
    ['https://github.com/docker/docker', 'form'],
    ['docker///docker', 'form'],
    ['docker/', 'form'],
    ['docker.io/', 'form'],
    ['/docker', 'form'],
    ['-docker', 'form'],
    ['docker-/docker', 'form'],
    ['-docker.io/docker', '"-docker.io" is no registry'],
    ['under_score.example/docker', '"under_score.example" is no registry'],
    ['test:port/docker', '"test:port" is no registry'],
    ['test:/docker', '"test:" is no registry'],
    ['test:000443/docker', '"test:000443" is no registry'],
    [`${'a.'.repeat(129)}io:65535/docker`, 'its registry is longer than 260'],
    ['fc00::1:5000/debian', '"fc00::1:5000" is no registry'],
    ['[fe80::1%eth0]:5000/debian', 'is no registry'],
    ['[2001:db8:3:4::192.0.2.33]:5000/debian', 'is no registry'],
    ['[fc00::1]', 'form'],
    ['[fc00::1]:5000', 'form'],
    ['dock..er/docker', '"dock..er" is no registry'],
    ['doc/dock..er', 'form'],
    ['doc/dock_.er', 'form'],
    ['doc/dock___er', 'form'],
    ['_docker/_docker', 'form'],
    ['aa/asdf$$^/aa', 'form'],
    ['docker/Docker', 'lowercase'],
    ['Nginx', 'lowercase'],
    ['Uppercase:tag', 'lowercase'],
    ['test:5000/Uppercase/lowercase:tag', 'lowercase'],
    [`example.com/a${longest}`, 'longer than 255'],
    [`${longest}/a`, 'longer than 255'],
    [`example.com/a/${longest}`, 'longer than 255'],
    [`nginx@sha256:${'f'.repeat(31)}`, 'form algorithm:hex'],
    [`nginx@sha256:${'f'.repeat(34)}`, 'has 34 digits, not 64'],
    [`nginx@sha256:${'f'.repeat(65)}`, 'has 65 digits, not 64'],
    [`nginx@sha512:${'f'.repeat(64)}`, 'has 64 digits, not 128'],
    [`nginx@sha256:${'F'.repeat(64)}`, 'digest must be lowercase'],
    [`nginx@md5:${'f'.repeat(32)}`, 'made by md5'],
    [`nginx@constructor:${'f'.repeat(64)}`, 'made by constructor'],
    [`nginx@${'f'.repeat(64)}`, 'form algorithm:hex'],
    [`nginx@sha256:${'g'.repeat(64)}`, 'form algorithm:hex'],
  ])('refuses %j', (original, why) => {
    expect(parseImage(original)).toEqual({ ok: false, why: expect.stringContaining(why) });
  });

  it('says of one that has no end what fits in a line', () => {
    for (const text of ['a'.repeat(600_000), `test:${'0'.repeat(600_000)}443/docker`]) {
      const parsed = parseImage(text);
      expect(parsed.ok ? '' : parsed.why).toSatisfy((why: string) => why.length < 1_000);
    }
  });

  it('takes no time over a name made to be slow', () => {
    const started = performance.now();
    for (const text of ['a-'.repeat(50_000), 'a_'.repeat(50_000), 'a.'.repeat(50_000)]) {
      expect(parseImage(`${text}!`).ok).toBe(false);
      expect(parseImage(`${text}!/a`).ok).toBe(false);
    }
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe('the texts of an image', () => {
  it.each<[string, string, string]>([
    ['nginx', 'docker.io/library/nginx', 'nginx'],
    ['docker.io/library/nginx:1', 'docker.io/library/nginx:1', 'nginx:1'],
    ['index.docker.io/nginx', 'docker.io/library/nginx', 'nginx'],
    ['docker.io/grafana/grafana', 'docker.io/grafana/grafana', 'grafana/grafana'],
    ['docker.io/library/foo/bar', 'docker.io/library/foo/bar', 'library/foo/bar'],
    ['other/library', 'docker.io/other/library', 'other/library'],
    ['Foo/bar', 'Foo/bar', 'Foo/bar'],
    ['localhost:5000/a:b', 'localhost:5000/a:b', 'localhost:5000/a:b'],
    [`nginx:1@${sha256}`, `docker.io/library/nginx:1@${sha256}`, `nginx:1@${sha256}`],
    // `distribution` shortens these to names that it then reads as something else.
    ['docker.io/localhost/app', 'docker.io/localhost/app', 'docker.io/localhost/app'],
    ['docker.io/ghcr.io/app', 'docker.io/ghcr.io/app', 'docker.io/ghcr.io/app'],
    [
      `docker.io/${identifier}`,
      `docker.io/library/${identifier}`,
      `docker.io/library/${identifier}`,
    ],
  ])('writes %s in full and for people', (text, full, short) => {
    expect(canonical(imageOf(text))).toBe(full);
    expect(familiar(imageOf(text))).toBe(short);
  });

  it('are read back as the same image', () => {
    const registry = fc.constantFrom(
      'docker.io',
      'localhost',
      'a.b:5',
      '[::1]:5',
      'UP',
      'index.docker.io',
    );
    const part = fc.constantFrom(
      'a',
      'library',
      'localhost',
      'docker.io',
      'a.b',
      'x_y',
      identifier,
    );
    const name = fc
      .tuple(fc.option(registry), fc.array(part, { minLength: 1, maxLength: 3 }))
      .map(([host, parts]) => [...(host === null ? [] : [host]), ...parts].join('/'));
    const tag = fc.constantFrom('', ':latest', ':1');
    const digest = fc.constantFrom('', `@${sha256}`, `@${sha512}`);

    fc.assert(
      fc.property(fc.tuple(name, tag, digest), (texts) => {
        const parsed = parseImage(texts.join(''));
        if (!parsed.ok) return;
        const { original: _, ...meant } = parsed.image;
        expect(imageOf(canonical(meant))).toMatchObject(meant);
        expect(imageOf(familiar(meant))).toMatchObject(meant);
      }),
      { seed: 6_009, numRuns: 2_000 },
    );
  });

  it('are read back whatever was written, and what is no image is refused, never thrown', () => {
    const words = ['docker.io/', 'index.docker.io/', 'library/', '[::1]:5/', 'a.b/c', ':1'];
    const signs = [...'abcdefghZ09.-_/:@[]%\n\u0000é', ...words, `@${sha256}`, identifier];
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.array(fc.constantFrom(...signs), { maxLength: 6 }).map((each) => each.join('')),
    );
    let read = 0;
    fc.assert(
      fc.property(text, (original) => {
        const parsed = parseImage(original);
        if (!parsed.ok) return;
        read += 1;
        const { original: _, ...meant } = parsed.image;
        expect(parsed.image.original).toBe(original);
        expect(imageOf(canonical(meant))).toMatchObject(meant);
        expect(imageOf(familiar(meant))).toMatchObject(meant);
      }),
      { seed: 6_010, numRuns: 4_000 },
    );
    expect(read).toBeGreaterThan(200);
  });
});
