import { describe, expect, it } from 'vitest';
import { endpointsOf, type RegistryMirror } from '#shared/domain/registry/endpoint.ts';

const mirrors: readonly RegistryMirror[] = [
  { of: 'docker.io', at: 'one.test:5000' },
  { of: 'docker.io', at: 'two.test/hub/' },
  { of: 'Quay.io', at: 'three.test' },
];

function asked(registry: string, repository: string) {
  return endpointsOf({ registry, repository }, mirrors).map(
    (each) => `${each.host}/${each.repository} for ${each.registry}`,
  );
}

describe('whom to ask for an image', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'docker.io',
      'library/nginx',
      [
        'one.test:5000/library/nginx for one.test:5000',
        'two.test/hub/library/nginx for two.test',
        'registry-1.docker.io/library/nginx for docker.io',
      ],
    ],
    ['quay.io', 'a/b', ['three.test/a/b for three.test', 'quay.io/a/b for quay.io']],
    ['QUAY.io', 'a/b', ['three.test/a/b for three.test', 'QUAY.io/a/b for QUAY.io']],
    ['evil-quay.io', 'a/b', ['evil-quay.io/a/b for evil-quay.io']],
  ])('of %s, %s', (registry, repository, expected) => {
    expect(asked(registry, repository)).toEqual(expected);
  });
});
