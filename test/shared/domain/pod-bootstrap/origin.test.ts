import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { originOf } from '#shared/domain/pod-bootstrap/origin.ts';
import { rewritten, rulesOf } from '#shared/domain/pod-bootstrap/rewrite.ts';

const rules = rulesOf({
  overrides: {
    'docker.io': 'mirror.corp/hub',
    'quay.io': 'mirror.corp/quay',
    'old.io': 'new.io',
    'older.io': 'new.io',
  },
  pathOverrides: { 'ghcr.io/team': 'mirror.corp/team' },
  dockerHubNames: true,
});

describe('the signed name of an image', () => {
  it.each([
    ['mirror.corp/hub/library/nginx:1', 'docker.io/library/nginx:1'],
    ['mirror.corp/quay/a/b', 'quay.io/a/b'],
    ['mirror.corp/team/app', 'ghcr.io/team/app'],
    ['MIRROR.corp/quay/a/b', 'quay.io/a/b'],
  ])('is that of the registry behind the mirror: %s', (image, expected) => {
    expect(originOf(image, rules)).toEqual({ kind: 'mapped', image: expected });
  });

  it.each([
    ['nobody mirrors it', 'example.io/a'],
    ['it lies beside what is mirrored', 'mirror.corp/hubble/x'],
    ['it lies on the mirror, where no rule leads', 'mirror.corp/other/x'],
    ['it is written without its mirror', 'quay.io/a/b'],
    ['it cannot be read', 'mirror.corp/quay/A B'],
  ])('is its own where %s', (_, image) => {
    expect(originOf(image, rules)).toEqual({ kind: 'itself' });
  });

  it('is nobody knows which, where two registries share a mirror', () => {
    expect(originOf('new.io/app', rules)).toEqual({
      kind: 'ambiguous',
      images: ['old.io/app', 'older.io/app'],
    });
  });

  it('is its own where another rule leads elsewhere', () => {
    const split = rulesOf({
      overrides: { 'a.io': 'm.io', 'b.io': 'c.io', 'c.io': 'd.io' },
      pathOverrides: { 'a.io/team': 'n.io/team' },
      dockerHubNames: false,
    });
    for (const image of ['m.io/team/x', 'd.io/x']) {
      expect(originOf(image, split)).toEqual({ kind: 'itself' });
    }
    expect(originOf('m.io/x', split)).toEqual({ kind: 'mapped', image: 'a.io/x' });
  });

  it('is one where a registry has two names', () => {
    const hub = rulesOf({
      overrides: { 'docker.io': 'm.io', 'index.docker.io': 'm.io' },
      pathOverrides: {},
      dockerHubNames: false,
    });
    expect(originOf('m.io/org/app', hub).kind).toBe('mapped');
  });

  it('is found by a rule for a registry’s other name, where names are read in full', () => {
    const hub = rulesOf({
      overrides: { 'index.docker.io': 'm.io' },
      pathOverrides: {},
      dockerHubNames: true,
    });
    expect(originOf('m.io/org/app', hub)).toEqual({
      kind: 'mapped',
      image: 'index.docker.io/org/app',
    });
  });

  it('leads back from wherever rewriting led', () => {
    const parts = [
      fc.constantFrom('docker.io', 'quay.io', 'ghcr.io/team'),
      fc.constantFrom('/a', '/a/b', '/library/nginx'),
      fc.constantFrom('', ':1'),
    ];
    fc.assert(
      fc.property(
        fc.tuple(...parts).map((each) => each.join('')),
        (image) => {
          const origin = originOf(rewritten(image, rules) ?? '', rules);
          expect(origin.kind).toBe('mapped');
          expect(origin.kind === 'mapped' ? rewritten(origin.image, rules) : '').toBe(
            rewritten(image, rules),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});
