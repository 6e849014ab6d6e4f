import { describe, expect, it } from 'vitest';
import { isWithin } from '#events/forwarder/followed.ts';
import { wentBack } from '#events/forwarder/listed.ts';
import { seenAs } from '#events/forwarder/looking.ts';
import { type Plan, planChanges } from '#events/forwarder/plan.ts';
import type { Seen } from '#events/forwarder/seen.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import { pod, row, type Stated } from './builders.ts';

const place = { epoch: 1, generation: 1, keysOf: () => [] };
const nobody: Seen = { kind: 'nobody', namespace: 'team-a', name: 'web' };

function seen(kind: 'present' | 'deleted' | 'left', stated: Stated = {}): Seen {
  return { kind, object: pod(stated) };
}

function told({ happened }: Plan): readonly string[] {
  return happened.map(({ type, uid }) => `${type} ${uid}`);
}

/** A GET is ahead of the watch: each of these was a seed of the simulator. */
describe('planChanges after a look at the server', () => {
  it.each<[string, readonly Seen[], readonly Row[], readonly string[]]>([
    ['ends whoever has a name that nobody has', [nobody], [row()], ['deleted u1']],
    ['tells of no deletion where nobody was known', [nobody], [], []],
    [
      'ends also what the same batch has brought',
      [seen('present'), nobody],
      [],
      ['added u1', 'deleted u1'],
    ],
    [
      'believes in no later version of what is gone',
      [seen('present', { version: 7 })],
      [row({ version: 5, isDeleted: true })],
      [],
    ],
    [
      'passes over one whose successor was found already',
      [seen('present', { uid: 'u2', version: 7 })],
      [row({ uid: 'u3', version: 9 })],
      [],
    ],
    [
      'ends whoever had the name of one that is out of sight',
      [seen('left', { uid: 'u2', version: 7 })],
      [row({ version: 5 })],
      ['deleted u1'],
    ],
    [
      'lets the living be where one out of sight is older',
      [seen('left', { uid: 'u2', version: 7 })],
      [row({ uid: 'u3', version: 9 })],
      [],
    ],
  ])('%s', (_, changes, known, expected) => {
    expect(told(planChanges(changes, known, place))).toEqual(expected);
  });

  it('keeps the later state of what is deleted, where the line told only that it left', () => {
    const known = row({ version: 9, labels: { app: 'web' } });
    const plan = planChanges([seen('deleted', { version: 7 })], [known], place);
    expect(plan.rows).toMatchObject([
      { isDeleted: true, resourceVersion: '9', object: { metadata: { labels: { app: 'web' } } } },
    ]);
    expect(plan.happened).toMatchObject([{ type: 'deleted', eventId: 'u1/9/deleted' }]);
  });

  it('revives what another history has', () => {
    const known = [row({ version: 5, isDeleted: true, epoch: 1 })];
    const plan = planChanges([seen('present', { version: 3 })], known, { ...place, epoch: 2 });
    expect(told(plan)).toEqual(['added u1']);
  });
});

describe('planChanges on a row of a scope that is retired', () => {
  const inherited = { ...row({ version: 5 }), isInherited: true };

  it('takes the row over, and tells nobody where it is as it was', () => {
    const plan = planChanges([seen('present', { version: 5 })], [inherited], place);
    expect(plan).toMatchObject({ rows: [{ uid: 'u1' }], marked: [], happened: [] });
  });

  it('tells of another shape of the same version', () => {
    const whole = seen('present', { version: 5, spec: { nodeName: 'n1' } });
    expect(told(planChanges([whole], [inherited], place))).toEqual(['modified u1']);
  });
});

describe('wentBack', () => {
  it.each<[string, Partial<Row>]>([
    ['a later version', {}],
    ['its end', { isDeleted: true }],
  ])('knows by %s that a retired scope has mirrored, too', (_, more) => {
    const inherited = { ...row({ version: 9, ...more }), isInherited: true };
    expect(wentBack([seen('present', { version: 7 })], [inherited], { epoch: 1 })).toBe(true);
    expect(wentBack([seen('present', { version: 7 })], [inherited], { epoch: 2 })).toBe(false);
  });

  it.each<[string, Seen, Row, boolean]>([
    ['the same version', seen('present', { version: 5 }), row({ version: 5 }), false],
    ['a later version', seen('present', { version: 10 }), row({ version: 9 }), false],
    ['an earlier version', seen('present', { version: 9 }), row({ version: 10 }), true],
    ['one that is deleted', seen('present'), row({ isDeleted: true }), true],
    ['an earlier one of the name', seen('present', { uid: 'u2' }), row({ version: 2 }), true],
    ['a successor', seen('present', { uid: 'u2', version: 3 }), row({ version: 2 }), false],
    [
      'the successor of a tombstone',
      seen('present', { uid: 'u2' }),
      row({ version: 2, isDeleted: true }),
      false,
    ],
    ['an earlier one of another history', seen('present'), row({ version: 2, epoch: 0 }), false],
    ['nobody', nobody, row(), false],
  ])('judges a list with %s', (_, each, known, expected) => {
    expect(wentBack([each], [known], { epoch: 1 })).toBe(expected);
  });

  it('says nothing about versions that are no numbers', () => {
    const other = { ...row(), resourceVersion: 'b' };
    expect(
      wentBack([seen('present', { metadata: { resourceVersion: 'a' } })], [other], place),
    ).toBe(false);
  });
});

describe('isWithin', () => {
  it.each([
    ['without a selector', {}, true],
    ['with labels that match', { labels: 'app=web' }, true],
    ['with labels that do not', { labels: 'app=db' }, false],
    ['with fields that match', { fields: 'metadata.name=web' }, true],
    ['with fields that do not', { fields: 'spec.nodeName=n1' }, false],
    ['with fields that are not there', { fields: 'spec.nodeName=n1', metadataOnly: true }, true],
  ])('judges a scope %s', (_, narrowed, expected) => {
    expect(isWithin(pod({ labels: { app: 'web' } }), { kind: pods, ...narrowed })).toBe(expected);
  });
});

describe('seenAs', () => {
  it.each([
    ['app=web', 'present'],
    ['app=db', 'left'],
  ])('takes what a GET finds, asked for by %s, as %s', (labels, expected) => {
    const object = pod({ labels: { app: 'web' } });
    expect(seenAs(object, { kind: pods, labels }).kind).toBe(expected);
  });
});
