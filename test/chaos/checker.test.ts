import { describe, expect, it } from 'vitest';
import type { Entry } from '#infra/emulator/cluster/ledger.ts';
import { openChecker } from '#test/bench/chaos/checker.ts';
import { labelsText } from '#test/bench/chaos/labels.ts';
import { type Lapsed, withoutExcuse } from '#test/bench/chaos/overlaps.ts';
import type { Rule } from '#test/bench/chaos/rules.ts';
import { runFrom } from '#test/bench/chaos/runs.ts';
import { verdictOf } from '#test/bench/chaos/verdict.ts';

const labels = {};

function entry(type: Entry['type'], version: number, more: Partial<Entry> = {}): Entry {
  const of = { resource: 'pods', uid: 'u1', namespace: 'default', name: 'web', labels, epoch: 1 };
  return { ...of, type, version, at: version * 10, ...more };
}

/** `living 2 at 5-6`, of the function note-pod unless another is named. */
function ran(text: string, by = 'note-pod', eventId?: string, read?: Entry['labels']) {
  const [, wake = '', state = '', version = '', began = '', ended = ''] =
    /^(deleted )?(\w+) (\d*) at (\d+)-(\d+)$/.exec(text) ?? [];
  const woken = wake === '' ? 'changed' : 'deleted';
  const line = [by, 'u1', woken, state, version, '1', began, ended];
  const told = eventId === undefined ? [] : [eventId];
  return runFrom([...line, ...told, ...(read ? [labelsText(read)] : [])].join('\t'));
}

const alone: Readonly<Record<string, Rule>> = {
  'note-pod': { resource: 'pods', asks: () => 'surely' },
};
const born = entry('ADDED', 2);
const changed = entry('MODIFIED', 3);
const gone = entry('DELETED', 4);

function judged(entries: readonly Entry[], ...runs: readonly string[]) {
  const checker = openChecker(alone);
  checker.entries(entries);
  checker.runs(runs.map((text) => ran(text)));
  return verdictOf(checker);
}

describe('the checker of the chaos', () => {
  it.each<[string, readonly Entry[], readonly string[], object]>([
    ['a run of the last change', [born, changed], ['living 3 at 1-2'], { lost: 0 }],
    ['no run of the last change', [born, changed], ['living 2 at 1-2'], { lost: 1 }],
    ['no run at all', [born], [], { lost: 1 }],
    [
      'a deletion that was told',
      [born, gone],
      ['living 2 at 1-2', 'deleted tombstone 4 at 3-4'],
      { missingDeletes: 0, reordered: 0, duplicates: 0 },
    ],
    ['a deletion that was not', [born, gone], ['living 2 at 1-2'], { missingDeletes: 1 }],
    [
      'a deletion that was only seen by a change',
      [born, gone],
      ['tombstone 4 at 1-2'],
      { missingDeletes: 1 },
    ],
    [
      'a run that reads less than the one before',
      [born, changed],
      ['living 3 at 1-2', 'living 2 at 3-4', 'living 3 at 5-6'],
      { reordered: 1, lost: 0 },
    ],
    [
      'two runs that overlap',
      [born, changed],
      ['living 3 at 1-4', 'living 2 at 3-5', 'living 3 at 6-7'],
      { reordered: 0 },
    ],
    [
      'life after the end',
      [born, gone],
      ['deleted tombstone 4 at 1-2', 'living 2 at 3-4'],
      { reordered: 1 },
    ],
    [
      'a deletion that reads a living object',
      [born, gone],
      ['deleted living 2 at 1-2'],
      { reordered: 1 },
    ],
    [
      'the same once more',
      [born],
      ['living 2 at 1-2', 'living 2 at 3-4'],
      { duplicates: 1, noNews: 1, lost: 0 },
    ],
    ['a version that never was', [born], ['living 9 at 1-2'], { strangers: 1 }],
    [
      'nothing of what lives',
      [born, changed],
      ['nothing  at 1-2'],
      { strangers: 1, lost: 1, reordered: 0 },
    ],
    ['the end of what lives', [born], ['tombstone 2 at 1-2'], { strangers: 1, lost: 1 }],
    ['nothing of what has ended', [born, gone], ['deleted nothing  at 1-2'], { strangers: 1 }],
    [
      'a version between two that were',
      [born, entry('MODIFIED', 5)],
      ['living 4 at 1-2'],
      { strangers: 1 },
    ],
    [
      'nothing of what lives, and then all of it',
      [born],
      ['nothing  at 1-2', 'living 2 at 3-4'],
      { strangers: 1, lost: 0 },
    ],
  ])('given %s', (_, entries, runs, expected) => {
    expect(judged(entries, ...runs)).toMatchObject(expected);
  });

  it.each<[string, readonly (readonly [string, string])[], object]>([
    [
      'another one of no news',
      [
        ['living 3', 'u1/2/added'],
        ['living 3', 'u1/3/modified'],
      ],
      { duplicates: 0, noNews: 1 },
    ],
    [
      'the same of news',
      [
        ['living 2', 'u1/2/added'],
        ['living 3', 'u1/2/added'],
      ],
      { duplicates: 1, noNews: 0 },
    ],
    ['an end', [['deleted tombstone 4', 'u1/4/deleted']], { unknownIds: 0 }],
    [
      'an end that a list told, by its last version',
      [['deleted tombstone 3', 'u1/3/deleted']],
      { unknownIds: 0 },
    ],
    ['a namespace, for its pods', [['living 3', 'n1/1/modified/u1']], { unknownIds: 0 }],
    ['a namespace, for somebody else', [['living 3', 'n1/1/modified/u2']], { unknownIds: 1 }],
    ['a version that never was', [['living 3', 'u1/7/modified']], { unknownIds: 1 }],
    ['an object that never was', [['living 3', 'u9/3/modified']], { unknownIds: 1 }],
    ['an end that is a change', [['living 3', 'u1/4/deleted']], { unknownIds: 1 }],
    ['a random one', [['living 3', '7d793037-a076-4e5c-b1ad-4a1d8e0d2f6a']], { unknownIds: 1 }],
  ])('knows events by their ids: %s', (_, told, expected) => {
    const checker = openChecker(alone);
    const space = { resource: 'namespaces', uid: 'n1', namespace: '', name: 'default' };
    checker.entries([entry('ADDED', 1, space), born, changed, gone]);
    checker.runs(told.map(([what, id], at) => ran(`${what} at ${at}-${at}`, 'note-pod', id)));
    expect(verdictOf(checker)).toMatchObject(expected);
  });

  it.each<[string, string, Entry['labels'], number]>([
    ['as they were in that version', 'living 2', { turn: '1', tier: 'gold' }, 0],
    ['of another version', 'living 3', { tier: 'gold', turn: '1' }, 1],
    ['that an end has kept', 'deleted tombstone 3', { turn: '2' }, 0],
    ['that an end has lost', 'deleted tombstone 4', {}, 1],
  ])('holds a run to the labels that it read: %s', (_, what, read, strangers) => {
    const [first, last] = [{ tier: 'gold', turn: '1' }, { turn: '2' }];
    const checker = openChecker(alone);
    const end = what.startsWith('deleted') ? [entry('DELETED', 4, { labels: last })] : [];
    const lives = [entry('ADDED', 2, { labels: first }), entry('MODIFIED', 3, { labels: last })];
    checker.entries([...lives, ...end]);
    checker.runs([ran(`${what} at 1-2`, 'note-pod', 'u1/2/added', read)]);
    expect(verdictOf(checker).strangers).toBe(strangers);
  });

  const usual = { lapses: [], startedAt: [] };
  const [first, second] = ['u1/2/added', 'u1/3/modified'];
  it.each<[string, readonly (readonly [string, string, string?])[], Lapsed, number]>([
    [
      'two at once, of one message that nobody had given up',
      [
        ['living 3 at 10000-10009', first],
        ['living 3 at 10008-10012', first],
      ],
      usual,
      1,
    ],
    [
      'two at once, of two messages',
      [
        ['living 3 at 10003-10005', second],
        ['living 3 at 10001-10009', first],
      ],
      usual,
      1,
    ],
    [
      'a second one before the first could be settled',
      [
        ['living 3 at 10000-10009', first],
        ['living 3 at 10028-10030', second],
      ],
      usual,
      1,
    ],
    [
      'one after another',
      [
        ['living 3 at 10000-10009', first],
        ['living 3 at 10030-10031', second],
      ],
      usual,
      0,
    ],
    [
      'two at once of two functions',
      [
        ['living 3 at 10000-10009', first],
        ['living 3 at 10001-10009', first, 'note-gold'],
      ],
      usual,
      0,
    ],
    [
      'a second one where the receipt of the first had ended',
      [
        ['living 3 at 10000-10009', first],
        ['living 3 at 10008-10012', second],
      ],
      { ...usual, lapses: [{ function: 'note-pod', uid: 'u1', eventId: first }] },
      0,
    ],
    [
      'a second one where somebody else’s had',
      [
        ['living 3 at 10000-10009', first],
        ['living 3 at 10008-10012', second],
      ],
      { ...usual, lapses: [{ function: 'note-gold', uid: 'u1', eventId: first }] },
      1,
    ],
    [
      'two at once where the database may have forgotten the first',
      [
        ['living 3 at 10000-16000', first],
        ['living 3 at 15000-15010', first],
      ],
      { ...usual, startedAt: [14_000] },
      0,
    ],
    [
      'two at once long before the database was started anew',
      [
        ['living 3 at 10000-10009', first],
        ['living 3 at 10008-10012', first],
      ],
      { ...usual, startedAt: [14_000] },
      1,
    ],
  ])('knows who had no right to run: %s', (_, told, lapsed, expected) => {
    const checker = openChecker();
    checker.entries([born, changed]);
    checker.runs(told.map(([text, id, by = 'note-pod']) => ran(text, by, id)));
    const found = withoutExcuse(checker.overlaps, lapsed);
    expect(found).toHaveLength(expected);
    const events = told.map(([, id]) => id).toSorted();
    for (const { function: by, uid, runs } of found) {
      expect([by, uid]).toEqual(['note-pod', 'u1']);
      expect(runs.map(({ eventId }) => eventId).toSorted()).toEqual(events);
    }
  });

  it('takes an end for one once the ledger has it, and not before', () => {
    const checker = openChecker(alone);
    checker.entries([born]);
    checker.runs([ran('tombstone 2 at 1-2')]);
    checker.entries([gone]);
    checker.runs([ran('deleted tombstone 4 at 3-4')]);
    expect(verdictOf(checker)).toMatchObject({ strangers: 1, reordered: 0, missingDeletes: 0 });
  });

  it('knows no end of what lives', () => {
    const checker = openChecker(alone);
    checker.entries([born]);
    checker.runs([ran('deleted tombstone 2 at 1-2', 'note-pod', 'u1/2/deleted')]);
    expect(verdictOf(checker).unknownIds).toBe(1);
  });

  it('forgives nobody but whom no list can have shown', () => {
    const checker = openChecker();
    checker.entries([born, gone]);
    checker.gap(15, 35);
    expect(verdictOf(checker)).toMatchObject({ missingDeletes: 2, livedInAGap: 0 });
    checker.gap(15, 45);
    expect(verdictOf(checker)).toMatchObject({ missingDeletes: 0, livedInAGap: 1 });
  });

  it('wants a run for every object of a namespace that has other labels', () => {
    const checker = openChecker();
    const space = { resource: 'namespaces', uid: 'n1', namespace: '', name: 'default' };
    checker.entries([entry('ADDED', 1, space), born]);
    checker.runs([ran('living 2 at 1-2'), ran('living 2 at 1-2', 'note-neighbours')]);
    expect(verdictOf(checker).lost).toBe(0);
    checker.entries([entry('MODIFIED', 3, space)]);
    expect(verdictOf(checker).lost).toBe(1);
  });

  it('wants the end of a match only where the match was seen', () => {
    const gold = { labels: { tier: 'gold' } };
    const lives = [entry('ADDED', 2, gold), entry('MODIFIED', 3)];
    const [unseen, seen] = [openChecker(), openChecker()];
    unseen.entries(lives);
    seen.entries(lives.slice(0, 1));
    seen.runs([ran('living 2 at 1-2', 'note-gold')]);
    seen.entries(lives.slice(1));
    const wanted = (checker: typeof seen) => checker.cases.get('note-gold u1')?.wanted;
    expect([wanted(unseen), wanted(seen)]).toEqual([2, 3]);
  });

  it('forgives a match that no list can have shown', () => {
    const checker = openChecker();
    checker.entries([entry('ADDED', 2, { labels: { tier: 'gold' } }), entry('MODIFIED', 3)]);
    checker.runs([ran('living 3 at 1-2'), ran('living 3 at 1-2', 'note-neighbours')]);
    expect(verdictOf(checker).lost).toBe(1);
    checker.gap(15, 35);
    expect(verdictOf(checker)).toMatchObject({ lost: 0, livedInAGap: 1 });
  });

  it('asks nothing of a function that is switched on late, and then a run for all that exists', () => {
    const late: Rule = { resource: 'pods', isLate: true, asks: () => 'surely' };
    const checker = openChecker({ 'note-late': late });
    const dead = { uid: 'u2', name: 'old' };
    checker.entries([born, entry('ADDED', 3, dead), entry('DELETED', 4, dead)]);
    expect(verdictOf(checker)).toMatchObject({ lost: 0, missingDeletes: 0 });
    checker.switchOn('note-late');
    expect(verdictOf(checker)).toMatchObject({ lost: 1, missingDeletes: 0 });
    checker.runs([ran('living 2 at 3-4', 'note-late', 'u1/2/added')]);
    expect(verdictOf(checker).lost).toBe(0);
    checker.entries([entry('DELETED', 5)]);
    expect(verdictOf(checker).missingDeletes).toBe(1);
  });

  it('forgets what has ended, and still knows its uid', () => {
    const checker = openChecker(alone);
    checker.entries([born, gone]);
    checker.forget(1_000);
    expect(checker.objects.size).toBe(1);
    checker.runs([ran('deleted tombstone 4 at 1-2')]);
    checker.forget(1_000);
    checker.runs([ran('tombstone 4 at 3-4')]);
    expect([checker.objects.size, checker.cases.size]).toEqual([0, 0]);
    expect(checker.counts).toMatchObject({ duplicates: 1, strangers: 0, reordered: 0 });
  });
});
