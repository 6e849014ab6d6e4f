import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openBoth } from './controlled/both.ts';
import { played } from './controlled/playing.ts';
import { allStories } from './controlled/story.ts';

type Known = { readonly what: string; readonly is: string; readonly isRace?: boolean };
const known = parse(
  readFileSync(new URL('controlled/known.yaml', import.meta.url), 'utf8'),
) as readonly Known[];
const knows = ({ is }: Known, finding: string) => new RegExp(is).test(finding);
const isKnown = (finding: string) => known.some((each) => knows(each, finding));

let both: Awaited<ReturnType<typeof openBoth>>;
const found: string[] = [];

beforeAll(async () => {
  both = await openBoth();
});
afterAll(() => both.close());

// The real ones run races with each other that now and then end otherwise; not twice.
describe('as with a real controller manager', { concurrent: true, retry: 1 }, () => {
  it.each(allStories().map((one) => [one.title, one] as const))('%s', async (_, story) => {
    const findings = await played(both, story, isKnown);
    found.push(...findings);
    expect(findings.filter((each) => !isKnown(each)).map(brief)).toEqual([]);
  });
});

it('still differs in all that is known', () => {
  const idle = known.filter(
    (each) => each.isRace !== true && !found.some((finding) => knows(each, finding)),
  );
  expect(idle.map(({ what }) => what)).toEqual([]);
});

/** Of whole objects as much as tells which. */
function brief(finding: string): string {
  return finding.replace(/(?<=^.{400}).*$/gm, '…');
}
