import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseImage } from '#shared/domain/image.ts';
import { allowedBy, isWithin, readEntry } from '#shared/domain/image-trust/allow-list.ts';
import { readsOf } from '#test/support/image-trust/reads-of.ts';

const digest = `@sha256:${'0a'.repeat(32)}`;
const other = `@sha256:${'0b'.repeat(32)}`;

describe('allowedBy', () => {
  it.each<[string, string, string]>([
    ['a registry', 'eu.example.io', 'eu.example.io/kyma/app:1'],
    ['a registry with a port', 'eu.example.io:5000', 'eu.example.io:5000/app'],
    ['localhost', 'localhost:5000', 'localhost:5000/app:1'],
    ['an address', '[2001:DB8::1]:5000', '[2001:db8::1]:5000/app:1'],
    ['a registry in another case', 'EU.example.io', 'eu.Example.io/kyma/app:1'],
    ['a path', 'eu.example.io/kyma', 'eu.example.io/kyma/app:1'],
    ['a path with a slash behind it', 'eu.example.io/kyma/', 'eu.example.io/kyma/app:1'],
    ['the image itself', 'eu.example.io/kyma', 'eu.example.io/kyma:1'],
    ['a repository, of a tag and a digest', 'eu.example.io/app', `eu.example.io/app:1${digest}`],
    ['a short name', 'nginx', 'nginx:1.27'],
    ['a short name of the same image in full', 'nginx', 'docker.io/library/nginx'],
    ['all official images', 'docker.io/library', 'nginx'],
    ['somebody’s path on the hub', 'docker.io/team/', 'team/app'],
    ['the hub by its other name', 'index.docker.io', 'nginx'],
    ['a tag', 'nginx:1.27', 'docker.io/library/nginx:1.27'],
    ['the tag that is meant without one', 'nginx:latest', 'nginx'],
    ['a digest', `reg.io/app${digest}`, `reg.io/app:1${digest}`],
  ])('lets %s through', (_, entry, image) => {
    expect(allowedBy(image, ['else.example', entry])).toBe(entry);
  });

  it.each<[string, string, string]>([
    ['a path that goes on', 'eu.example.io/kyma', 'eu.example.io/kyma-evil/app:1'],
    ['a registry that goes on', 'eu.example.io', 'eu.example.io.evil.com/app:1'],
    ['a registry with a port of its own', 'eu.example.io', 'eu.example.io:8443/app:1'],
    ['the port that it has anyway', 'eu.example.io', 'eu.example.io:443/app:1'],
    ['the port of plain http', 'eu.example.io', 'eu.example.io:80/app:1'],
    ['a host with a dot behind it', 'eu.example.io', 'eu.example.io./app:1'],
    ['a host without it', 'eu.example.io.', 'eu.example.io/app:1'],
    ['where the hub is pulled from', 'docker.io', 'registry-1.docker.io/library/nginx'],
    ['the hub', 'registry-1.docker.io', 'nginx'],
    ['the beginning of a host', 'reg', 'registry.evil/x'],
    ['a name on the hub', 'eu.example.io/kyma', 'evil/eu.example.io/kyma'],
    ['an official image, as another one of its name', 'nginx', 'evil/nginx'],
    ['an official image, as the path of its name', 'docker.io/nginx', 'nginx/app'],
    ['a path on the hub, as the image of its name', 'docker.io/team/', 'team'],
    ['a mirror of it', 'nginx', 'evil.io/library/nginx'],
    ['another tag', 'nginx:1.27', 'nginx:1.28'],
    ['the tag, but with a digest', 'nginx:1.27', `nginx:1.27${digest}`],
    ['another digest', `reg.io/app${digest}`, `reg.io/app${other}`],
    ['what is below an image with a tag', 'reg.io/app:1', 'reg.io/app/evil:1'],
    ['a path that climbs', 'eu.example.io/kyma', 'eu.example.io/kyma/../evil:1'],
    ['what is no image', 'eu.example.io', 'eu.example.io/UPPER'],
    [
      'anything by an entry that cannot be read',
      'some-registry/allowed-',
      'some-registry/allowed-x',
    ],
    ['anything by nothing', '', 'nginx'],
  ])('does not take %s for allowed', (_, entry, image) => {
    expect(allowedBy(image, [entry])).toBeUndefined();
  });

  it('names the first of the entries that allow it', () => {
    const image = 'reg.io/a/b:1';
    const entries = ['reg.io/a/b:2', 'reg.io/a/b', 'reg.io/a/', 'reg.io/a', 'reg.io', image];
    expect(entries.map((_, at) => allowedBy(image, entries.slice(at)))).toEqual([
      ...['reg.io/a/b', 'reg.io/a/b', 'reg.io/a/', 'reg.io/a', 'reg.io', image],
    ]);
  });

  it('allows what one entry after the other would', () => {
    const part = fc.constantFrom('a', 'b', 'ab');
    const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const end = fc.constantFrom('', '', '/', ':1', ':latest', digest, other, `:1${digest}`);
    const host = fc.constantFrom('reg.io', 'REG.io', 'docker.io', 'reg.io:443');
    const text = fc.oneof(
      fc.tuple(host, path, end).map(([registry, name, rest]) => `${registry}/${name}${rest}`),
      fc.tuple(path, end).map(([name, rest]) => `${name}${rest}`),
      host,
    );
    const oneByOne = (image: string, entries: readonly string[]) => {
      const parsed = parseImage(image);
      return entries.find((entry) => {
        const read = readEntry(entry);
        return parsed.ok && read.ok && isWithin(parsed.image, read.place);
      });
    };
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 8 }), (image, entries) => {
        expect(allowedBy(image, entries)).toBe(oneByOne(image, entries));
      }),
      { seed: 6_013, numRuns: 3_000 },
    );
  });

  it('reads each entry once, however many images are asked about', () => {
    const { list, reads } = readsOf(Array.from({ length: 100 }, (_, at) => `reg.io/team-${at}`));
    const images = Array.from({ length: 200 }, (_, at) => `reg.io/team-${at}/app:1`);
    const allowed = images.filter((image) => allowedBy(image, list) !== undefined);
    expect(allowed).toHaveLength(100);
    expect(reads()).toBe(100);
  });

  it('says of an entry why it cannot be read', () => {
    expect(readEntry('some-registry/allowed-')).toEqual({
      ok: false,
      why: '"some-registry/allowed-" is no name of an image: it does not have the form [registry/]repository[:tag][@digest]',
    });
  });
});
