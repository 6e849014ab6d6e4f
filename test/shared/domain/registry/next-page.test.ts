import { describe, expect, it } from 'vitest';
import { nextPage } from '#shared/domain/registry/next-page.ts';

const repository = 'https://registry.test/v2/team/app';
const url = `${repository}/referrers/sha256:a`;
const page = { kind: 'page', path: '/referrers/sha256:a?page=2' };
const next = '</v2/team/app/referrers/sha256:a?page=2>';

describe('the next page', () => {
  it.each<[string, string, object]>([
    ['is named', `${next}; rel="next"`, page],
    ['is named without quotes', `${next};rel=next`, page],
    ['is named with blanks', `${next} ; rel = "next"`, page],
    ['has a title first', `${next}; title="a, b"; rel="next"`, page],
    ['is named behind another', `</v2/>; rel="prev", ${next}; rel="next"`, page],
    ['is named beside other relations', `${next}; rel="last next"`, page],
    [
      'is named by the first of two relations',
      `${next}; rel=prev; rel=next`,
      { kind: 'elsewhere' },
    ],
    ['is named by a title alone', `${next}; title="; rel=next"`, { kind: 'elsewhere' }],
    [
      'is named at too great length',
      `${next}; title="${'a'.repeat(4_096)}"; rel="next"`,
      { kind: 'elsewhere' },
    ],
    ['is there no more', '</v2/>; rel="prev"', { kind: 'none' }],
    ['is elsewhere', '<https://thief.test/v2/team/app/x>; rel="next"', { kind: 'elsewhere' }],
    ['is of another repository', '</v2/team/app-evil/x>; rel="next"', { kind: 'elsewhere' }],
    ['is further up', '</v2/team/app/../evil/x>; rel="next"', { kind: 'elsewhere' }],
    ['cannot be read', 'rel="next"', { kind: 'elsewhere' }],
  ])('%s', (_, link, expected) => {
    expect(nextPage({ url, headers: { link } }, repository)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['blanks', `rel=next, </x>;a=${' '.repeat(200_000)}!`],
    ['parameters', `rel=next, </x>${';a='.repeat(70_000)}!`],
    ['targets', `rel=next, ${'<'.repeat(200_000)}`],
    ['quotes', `rel=next, </x>;a=${'"'.repeat(200_001)}`],
  ])('is looked for in no time among very many %s', (_, link) => {
    const began = performance.now();
    nextPage({ url, headers: { link } }, repository);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it.each(['https://registry.test:443/v2/team/app', 'https://Registry.TEST/v2/team/app'])(
    'is looked for at %s too, as an image may name it',
    (written) => {
      const link = `${next}; rel="next"`;
      expect(nextPage({ url, headers: { link } }, written)).toEqual(page);
    },
  );
});
