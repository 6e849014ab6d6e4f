import { describe, expect, it } from 'vitest';
import { conflict, done, later } from '#shared/domain/outcome.ts';
import { type Hindering, hindered } from '#shared/domain/pod-bootstrap/housekeeping/hindrance.ts';
import {
  failed,
  freeCondition,
  hinderedMeasure,
  inTurn,
  outcomeOf,
  outcomeOfPass,
  startingAnywhere,
  type Tried,
  turnsToCome,
} from '#shared/domain/pod-bootstrap/housekeeping/pass.ts';

const by = (kind: Hindering, seconds?: number) =>
  hindered(kind, kind, seconds === undefined ? undefined : seconds * 1_000);

describe('a pass', () => {
  it.each<[string, readonly Tried[], Tried]>([
    ['is over where nothing waits', [done, done], done],
    [
      'comes again after the shortest wait',
      [done, by('pull-secret', 300), by('budget', 70)],
      later(70),
    ],
    ['never comes again at once', [by('young', 1), conflict('a campaign moved on')], later(30)],
    ['comes when somebody’s turn does', [by('turn', 2), by('young', 1)], later(2)],
    ['leaves to its period what no time mends', [by('on-delete'), by('tripped')], done],
    ['tries again whose turn did not come', [done, later(10)], later(30)],
  ])('%s', (_, tried, expected) => {
    expect(outcomeOfPass(tried)).toEqual(expected);
  });

  it('comes soon while there is a line', () => {
    expect(outcomeOfPass([done, by('turn', 70)], true)).toEqual(later(30));
    expect(outcomeOfPass([done, by('turn', 2)], true)).toEqual(later(2));
  });

  it('lets go first whose turn has come, and in between whose turn comes meanwhile', () => {
    const of = (uid: string, turnInMs: number) => ({ uid, namespace: 'team-a', turnInMs });
    const line = [of('past', -900), of('soon', 15), of('later', 1_000)];
    let elapsedMs = 0;
    const others = ['a', 'b', 'c'].map((uid) => ({ uid, namespace: 'team-a' }));
    const uids: string[] = [];
    for (const { uid } of inTurn(line, others, () => elapsedMs)) {
      elapsedMs += 10;
      uids.push(uid);
    }
    expect(uids).toEqual(['past', 'a', 'soon', 'b', 'c']);
    expect(turnsToCome(line, elapsedMs)).toMatchObject([{ by: 'turn', afterSeconds: 1 }]);
  });

  it('starts elsewhere each time, and leaves nobody out', () => {
    const all = Array.from({ length: 10 }, (_, at) => at);
    const lines = Array.from({ length: 200 }, (_, at) =>
      startingAnywhere(all, new Date(1_900_000_000_000 + at * 30_000)),
    );
    expect(new Set(lines.map(([first]) => first)).size).toBe(10);
    expect(
      lines.every((line) => line.toSorted((one, other) => one - other).join() === all.join()),
    ).toBe(true);
    expect(startingAnywhere([], new Date(0))).toEqual([]);
  });

  it('says what hinders, and how many', () => {
    const tried = [done, by('budget', 10), by('budget', 10), by('turn', 1), failed(new Error('x'))];
    expect(hinderedMeasure(tried)).toEqual([
      { labels: { why: 'budget' }, value: 2 },
      { labels: { why: 'turn' }, value: 1 },
      { labels: { why: 'failed' }, value: 1 },
    ]);
    expect(freeCondition(tried)).toMatchObject({
      holds: false,
      why: 'pods are not restarted: budget (2); x (1)',
    });
    expect(freeCondition([done, by('turn', 1), by('young', 60)])).toMatchObject({ holds: true });
  });
});

describe('a run that an event began', () => {
  it.each<[string, Tried, Tried]>([
    ['waits for its turn', by('turn', 7), later(7)],
    ['waits for a bundle that all are about to know', by('bundle-new', 4), later(4)],
    ['waits for a configuration as well', by('configuration-new', 90), later(90)],
    ['asks a budget again', by('budget', 20), later(20)],
    ['leaves a webhook that is away to the pass', by('webhook', 30), done],
    ['leaves a missing secret to the pass', by('pull-secret', 300), done],
    ['hears of a replacement by another event', by('replacement', 120), done],
    ['says what became of it', conflict('x'), conflict('x')],
  ])('%s', (_, tried, expected) => {
    expect(outcomeOf(tried)).toEqual(expected);
  });
});
