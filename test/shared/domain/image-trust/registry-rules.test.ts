import { describe, expect, it } from 'vitest';
import { decode } from '#shared/domain/decode.ts';
import { parseImage } from '#shared/domain/image.ts';
import { vouchingFor, withUsualPort } from '#shared/domain/image-trust/registry-rules.ts';
import type { Vouching } from '#shared/domain/image-trust/rules.ts';
import { imageTrustSettings } from '#shared/domain/image-trust/settings.ts';

const usual: Vouching = {
  verifiers: [{ kind: 'notary', url: 'https://notary.example', reach: 'internal', roles: [] }],
  need: 'either',
};
const byCosign: Vouching = { verifiers: [{ kind: 'cosign', authorities: ['team'] }], need: 'all' };

function prefixFor(image: string, ...prefixes: readonly string[]): string | undefined {
  const parsed = parseImage(image);
  if (!parsed.ok) throw new Error(parsed.why);
  const registries = prefixes.map((prefix) => ({ prefix, ...byCosign }));
  const { prefix, ...vouching } = vouchingFor(parsed.image, { ...usual, registries });
  expect(vouching).toEqual(prefix === undefined ? usual : byCosign);
  return prefix;
}

describe('vouchingFor', () => {
  it.each<[string, string, readonly string[], string | undefined]>([
    ['no rule', 'a.io/x/app:1', [], undefined],
    ['a registry', 'a.io/x/app:1', ['b.io', 'a.io'], 'a.io'],
    ['a path', 'a.io/x/app:1', ['a.io/x'], 'a.io/x'],
    ['the image itself', 'a.io/x/app:1', ['a.io/x/app'], 'a.io/x/app'],
    ['the longest, first', 'a.io/x/app:1', ['a.io/x/app', 'a.io', 'a.io/x'], 'a.io/x/app'],
    ['the longest, last', 'a.io/x/app:1', ['a.io', 'a.io/x', 'a.io/x/app'], 'a.io/x/app'],
    ['a host in another case', 'A.io/x/app:1', ['a.IO'], 'a.IO'],
    ['the hub’s other name', 'nginx', ['index.docker.io'], 'index.docker.io'],
    ['all official images', 'nginx', ['docker.io', 'docker.io/library'], 'docker.io/library'],
    ['a host with the port that it has anyway', 'a.io:443/x/app:1', ['a.io/x'], 'a.io/x'],
    ['a rule with the port that it has anyway', 'a.io/x/app:1', ['a.io:443/x'], 'a.io:443/x'],
    ['a port written longer', 'A.io:0443/x/app:1', ['a.io/x'], 'a.io/x'],
    [
      'the host that the hub is pulled from',
      'registry-1.docker.io/library/x',
      ['docker.io'],
      'docker.io',
    ],
    ['it in capitals', 'Registry-1.docker.io:443/library/x', ['docker.io'], 'docker.io'],
    [
      'the hub in capitals',
      'INDEX.docker.io/library/x',
      ['docker.io/library'],
      'docker.io/library',
    ],
    [
      'the hub with its port',
      'docker.io:443/library/x',
      ['docker.io/library'],
      'docker.io/library',
    ],
    [
      'the site of the hub',
      'registry.hub.docker.com/team/x',
      ['docker.io/team/x'],
      'docker.io/team/x',
    ],
    [
      'a rule by where it is pulled',
      'team/x',
      ['registry-1.docker.io/team'],
      'registry-1.docker.io/team',
    ],
    ['an address written longer', '[2001:0DB8:0::1]/x', ['[2001:db8::1]'], '[2001:db8::1]'],
    ['an address with fewer dots', '10.1:443/x', ['10.0.0.1'], '10.0.0.1'],
    ['a path that goes on', 'a.io/x-evil/app:1', ['a.io/x'], undefined],
    ['a host that goes on', 'a.io.evil.example/x', ['a.io'], undefined],
    ['another port', 'a.io:5000/x', ['a.io'], undefined],
    ['a port that goes on', 'a.io:4430/x', ['a.io'], undefined],
    ['a host below the hub', 'registry-2.docker.io/x', ['docker.io'], undefined],
    ['a part of the way', 'a.io/x:1', ['a.io/x/app'], undefined],
  ])('goes by %s', (_, image, prefixes, expected) => {
    expect(prefixFor(image, ...prefixes)).toBe(expected);
  });
});

describe('a rule of a registry that is read without TLS', () => {
  const plain = ['a.io', 'b.io:80', 'c.io:5000', '[2001:db8::1]'];
  const hosts = plain.map((host) => ({ host, plainHttp: true }));

  it.each<[string, string, string | undefined]>([
    ['a.io/x', 'a.io/x/app:1', 'a.io/x'],
    ['a.io/x', 'a.io:80/x/app:1', 'a.io:80/x/'],
    ['a.io/x', 'A.io:080/x/app:1', 'a.io:80/x/'],
    ['a.io:80/x', 'a.io/x/app:1', 'a.io/x/'],
    ['A.io', 'a.io:80/x', 'a.io:80'],
    ['b.io', 'b.io:80/x', 'b.io:80'],
    ['[2001:db8::1]', '[2001:DB8:0::1]:80/x', '[2001:db8::1]:80'],
    ['a.io/x', 'a.io:80/x-evil', undefined],
    ['a.io', 'a.io:8080/x', undefined],
    ['c.io', 'c.io:80/x', undefined],
    ['c.io:5000', 'c.io/x', undefined],
    ['d.io', 'd.io:80/x', undefined],
  ])('for %s decides on %s: %s', (stated, image, expected) => {
    const prefixes = withUsualPort([{ prefix: stated }], hosts).map(({ prefix }) => prefix);
    expect(prefixFor(image, ...prefixes)).toBe(expected);
  });

  it('goes before what follows from another one', () => {
    const rules = [
      { prefix: 'a.io', of: 'name' },
      { prefix: 'a.io:80', of: 'port' },
    ];
    const found = withUsualPort(rules, hosts);
    expect(found.filter(({ prefix }) => prefix === 'a.io').map(({ of }) => of)[0]).toBe('name');
    expect(found.filter(({ prefix }) => prefix === 'a.io:80').map(({ of }) => of)[0]).toBe('port');
  });
});

describe('imageTrust.registries', () => {
  const rule = { verifiers: ['cosign'], need: 'either' };
  const read = (...prefixes: readonly string[]) =>
    decode(imageTrustSettings, { registries: prefixes.map((prefix) => ({ prefix, ...rule })) });

  it.each<[string, readonly string[]]>([
    ['a tag', ['a.io/x:1']],
    ['a digest', [`a.io/x@sha256:${'0a'.repeat(32)}`]],
    ['what is no name', ['a.io/UPPER']],
    ['a host with a dot behind it', ['a.io./x']],
    ['nothing', ['']],
    ['the same place twice', ['nginx', 'docker.io/library/nginx']],
    ['the same host in two cases', ['a.io', 'A.io']],
    ['the same host with its port', ['a.io/x', 'a.io:443/x']],
    ['the hub by two of its hosts', ['docker.io/team/x', 'registry-1.docker.io/team/x']],
  ])('refuses %s', (_, prefixes) => {
    expect(read(...prefixes).ok).toBe(false);
  });

  const asked = { verifiers: ['cosign'], need: 'either', authorities: ['team'] };
  it.each<[string, object]>([
    ['a registry', { registries: [{ prefix: 'a.io', ...asked }] }],
    ['a namespace', { namespaces: [{ names: ['a'], ...asked }] }],
    [
      'a registry in a namespace',
      { namespaces: [{ names: ['a'], ...rule, registries: [{ prefix: 'a.io', ...asked }] }] },
    ],
  ])('knows the authorities that a rule of %s asks, or is refused', (_, stated) => {
    const authorities = [{ name: 'team', keyless: { issuer: 'i', identity: 'me' } }];
    expect(decode(imageTrustSettings, stated).ok).toBe(false);
    expect(decode(imageTrustSettings, { ...stated, cosign: { authorities } }).ok).toBe(true);
  });

  it('takes places that lie in one another', () => {
    expect(read('a.io', 'a.io/x', 'a.io/x/app').ok).toBe(true);
  });
});
