import { describe, expect, it } from 'vitest';
import { type Plan, planChanges, planGone } from '#events/forwarder/plan.ts';
import type { Seen } from '#events/forwarder/seen.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import { pod, row, type Stated } from './builders.ts';

const place = { epoch: 1, generation: 1, keysOf: () => [] };

function present(stated: Stated = {}): Seen {
  return { kind: 'present', object: pod(stated) };
}

function deleted(stated: Stated = {}): Seen {
  return { kind: 'deleted', object: pod(stated) };
}

function labelOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.labels?.['a'];
}

/** What happened, in short: `added u1`. */
function told({ happened }: Plan): readonly string[] {
  return happened.map(({ type, uid }) => `${type} ${uid}`);
}

const unkept = (changed: object = {}): Seen => ({
  ...{ kind: 'unkept', isDeleted: false, namespace: 'team-a', name: 'web', why: 'it is deep' },
  ...{ uid: 'u1', resourceVersion: '5' },
  ...changed,
});

describe('planChanges', () => {
  it.each<[string, readonly Seen[], readonly Row[], readonly string[]]>([
    ['an object that nobody knew', [present()], [], ['added u1']],
    ['a later version', [present({ version: 2 })], [row()], ['modified u1']],
    ['the same version again', [present()], [row()], []],
    ['an older version', [present({ version: 1 })], [row({ version: 2 })], []],
    [
      'a version with more digits',
      [present({ version: 10 })],
      [row({ version: 9 })],
      ['modified u1'],
    ],
    ['a deletion', [deleted({ version: 2 })], [row()], ['deleted u1']],
    ['a deletion told twice', [deleted({ version: 2 })], [row({ isDeleted: true })], []],
    ['a deletion of what nobody knew', [deleted()], [], ['deleted u1']],
    [
      'a change after the deletion that is older',
      [present()],
      [row({ version: 2, isDeleted: true })],
      [],
    ],
    [
      'another uid under a living name',
      [present({ uid: 'u2', version: 5 })],
      [row()],
      ['deleted u1', 'added u2'],
    ],
    ['one that cannot be kept', [unkept()], [row()], []],
    ['one that cannot be kept and has no row', [unkept({ isDeleted: true })], [], []],
    ['its end', [unkept({ isDeleted: true })], [row()], ['deleted u1']],
    ['its end told twice', [unkept({ isDeleted: true })], [row({ isDeleted: true })], []],
    ['its name, that was another one’s', [unkept({ uid: 'u2' })], [row()], ['deleted u1']],
    ['its name, that is another one’s by now', [unkept({ uid: 'u2' })], [row({ version: 9 })], []],
    [
      'another uid under the name of a tombstone',
      [present({ uid: 'u2', version: 5 })],
      [row({ isDeleted: true })],
      ['added u2'],
    ],
    [
      'made, changed, deleted and made anew in one batch',
      [
        present(),
        present({ version: 2 }),
        deleted({ version: 3 }),
        present({ uid: 'u2', version: 4 }),
      ],
      [],
      ['added u1', 'modified u1', 'deleted u1', 'added u2'],
    ],
  ])('tells of %s', (_, seen, known, expected) => {
    expect(told(planChanges(seen, known, place))).toEqual(expected);
  });

  it('compares a change with the one before it in the same batch', () => {
    const seen = [present({ labels: { a: '1' } }), present({ version: 2, labels: { a: '2' } })];
    const [, second] = planChanges(seen, [], place).happened;
    expect(second?.before?.metadata.labels).toEqual({ a: '1' });
  });

  it('compares each of several changes with the one before it, the first with what was known', () => {
    const states = ['0', '1', '2', '1'];
    const [first, ...later] = states.map((a, at) => ({ version: at + 1, labels: { a } }));
    const { happened } = planChanges(later.map(present), [row(first)], place);
    expect(happened.map(({ before, after }) => [labelOf(before), labelOf(after)])).toEqual([
      ['0', '1'],
      ['1', '2'],
      ['2', '1'],
    ]);
  });

  it('keeps the last state of what is deleted as its tombstone', () => {
    const last = deleted({ version: 2, labels: { app: 'web' } });
    const { rows } = planChanges([last], [row()], place);
    expect(rows).toMatchObject([
      { isDeleted: true, resourceVersion: '2', object: { metadata: { labels: { app: 'web' } } } },
    ]);
  });

  it('writes the tombstone and its successor under one name, the tombstone under its own uid', () => {
    const { rows } = planChanges([present({ uid: 'u2', version: 5 })], [row()], place);
    expect(rows.map(({ uid, isDeleted }) => [uid, isDeleted])).toEqual([
      ['u1', true],
      ['u2', false],
    ]);
  });

  it('marks what a new list shows unchanged, and writes nothing of it', () => {
    const plan = planChanges([present()], [row()], { ...place, generation: 2 });
    expect(plan).toMatchObject({ rows: [], marked: ['u1'], happened: [] });
  });

  it('gives the same event the same id', () => {
    const ids = [1, 2].map(() => planChanges([present()], [], place).happened[0]?.eventId);
    expect(ids).toEqual(['u1/1/added', 'u1/1/added']);
  });

  it('drops managedFields and the last applied manifest, and nothing else', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', own: 'kept' };
    const metadata = { managedFields: [{ manager: 'kubectl' }], annotations };
    const [written] = planChanges([present({ metadata })], [], place).rows;
    expect(written?.object.metadata).toEqual({
      name: 'web',
      namespace: 'team-a',
      uid: 'u1',
      resourceVersion: '1',
      annotations: { own: 'kept' },
    });
  });

  it('takes what left the scope out without calling it deleted', () => {
    const plan = planChanges([{ kind: 'left', object: pod({ version: 2 }) }], [row()], place);
    expect(plan).toMatchObject({ rows: [], forgotten: ['u1'], happened: [{ type: 'modified' }] });
  });

  it('keeps what comes back into the scope within the batch in which it left', () => {
    const seen: readonly Seen[] = [
      { kind: 'left', object: pod({ version: 2 }) },
      present({ version: 3 }),
    ];
    const plan = planChanges(seen, [row()], place);
    expect(plan).toMatchObject({ forgotten: [], rows: [{ uid: 'u1', resourceVersion: '3' }] });
  });
});

describe('a new epoch', () => {
  const next = { ...place, epoch: 2, generation: 2 };

  it.each<[string, Seen, Row, readonly string[]]>([
    [
      'an older version with another state',
      present({ version: 1, spec: { a: 1 } }),
      row({ version: 9 }),
      ['modified u1'],
    ],
    ['the same version with another state', present({ spec: { a: 1 } }), row(), ['modified u1']],
    ['the very same', present(), row(), []],
    [
      'what was deleted in the history before',
      present(),
      row({ version: 9, isDeleted: true }),
      ['added u1'],
    ],
  ])('is told of %s', (_, seen, known, expected) => {
    expect(told(planChanges([seen], [known], next))).toEqual(expected);
  });

  it('takes over the rows that are the same', () => {
    const { rows } = planChanges([present()], [row()], next);
    expect(rows).toMatchObject([{ uid: 'u1', epoch: 2, generation: 2 }]);
  });
});

describe('planGone', () => {
  it('makes tombstones of the last known state', () => {
    const plan = planGone([row({ labels: { app: 'web' } })], { epoch: 3 });
    expect(told(plan)).toEqual(['deleted u1']);
    expect(plan.rows).toMatchObject([{ isDeleted: true, epoch: 3 }]);
    expect(plan.happened[0]?.before?.metadata.labels).toEqual({ app: 'web' });
  });
});
