import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type Facts, planReplica } from '#shared/domain/pod-bootstrap/pull-secret-plan.ts';
import { credentialsIn, replicaOf } from '#shared/domain/pod-bootstrap/pull-secret-replica.ts';
import { sourceCondition, troubleWith } from '#shared/domain/pod-bootstrap/pull-secret-report.ts';
import {
  credentials,
  home,
  namespaceOf,
  pullSecret,
  secretName,
} from '#test/support/pull-secret.ts';

const source = pullSecret(home, 'now');
const rules = {
  ...{ namespace: home, name: secretName, formerName: secretName },
  foreign: 'adopt',
} as const;
const current = replicaOf(source, 'team-a');
const former = replicaOf(pullSecret(home, 'before'), 'team-a');
const theirs = pullSecret('team-a', 'theirs');

function ending(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
}

/** Somebody has taken its labels off; whose the data is, the API server notes. */
function stripped(replica: KubeObject, by: JsonObject = applied): KubeObject {
  const { labels: _labels, ...metadata } = replica.metadata;
  return { ...replica, metadata: { ...metadata, managedFields: [by] } };
}

const now = new Date('2030-01-01T12:00:02Z');
const applied = {
  ...{ manager: 'gatehouse-pull-secret', operation: 'Apply', fieldsType: 'FieldsV1' },
  fieldsV1: { 'f:data': { 'f:.dockerconfigjson': {} }, 'f:type': {} },
};
const labelsAlone = { ...applied, fieldsV1: { 'f:metadata': { 'f:labels': {} } } };

function plan(given: Partial<Facts>) {
  return planReplica(factsOf(given));
}

function factsOf(given: Partial<Facts>): Facts {
  return {
    ...{ namespace: namespaceOf('team-a'), wish: 'wanted', source, present: undefined, rules },
    ...{ formerSource: undefined, now, ...given },
  };
}

/** As we have applied it, and whoever else. */
function copied(secret: KubeObject, ...others: readonly JsonObject[]): KubeObject {
  return { ...secret, metadata: { ...secret.metadata, managedFields: [applied, ...others] } };
}

/** We have applied it then; somebody else has written other credentials since. */
function lostAt(time: string): KubeObject {
  const theirs = { ...applied, manager: 'them', operation: 'Update' };
  const ours = { ...labelsAlone, time };
  return { ...former, metadata: { ...former.metadata, managedFields: [ours, theirs] } };
}

const elsewhere = replicaOf(pullSecret('old', 'now'), 'team-a');
const leave = { ...rules, foreign: 'leave' } as const;
const unusable = pullSecret(home, 'now', { type: 'Opaque' });
const locked = { immutable: true };

describe('planReplica', () => {
  it.each<[string, Partial<Facts>, JsonObject]>([
    ['makes one where there is none', {}, { kind: 'create' }],
    ['leaves one alone that has the same bytes', { present: current }, { kind: 'nothing' }],
    [
      'overwrites one with other bytes',
      { present: former },
      { kind: 'overwrite', isAdopted: false },
    ],
    [
      'waits before it overwrites again what was taken from it a moment ago',
      { present: lostAt('2030-01-01T12:00:01Z') },
      { kind: 'contested', afterSeconds: 2 },
    ],
    [
      'overwrites at once what was taken from it since long',
      { present: lostAt('2030-01-01T11:59:59Z') },
      { kind: 'overwrite' },
    ],
    [
      'believes no time to come: anybody may state one',
      { present: lostAt('2099-01-01T00:00:00Z') },
      { kind: 'overwrite' },
    ],
    [
      'overwrites at once what is its own, though it has just written it',
      { present: copied({ ...former }) },
      { kind: 'overwrite' },
    ],
    ['adopts a stranger’s', { present: theirs }, { kind: 'overwrite', isAdopted: true }],
    [
      'adopts a stranger’s that has the same bytes, to take it away one day',
      { present: pullSecret('team-a', 'now') },
      { kind: 'overwrite', isAdopted: true },
    ],
    ['leaves a stranger’s where told to', { present: theirs, rules: leave }, { kind: 'nothing' }],
    [
      'writes ours anew whose labels were taken off',
      { present: stripped(current), rules: leave },
      { kind: 'overwrite', isAdopted: false },
    ],
    [
      'writes ours anew whose labels were taken off when its source is another',
      { present: stripped(former), rules: leave },
      { kind: 'overwrite', isAdopted: false },
    ],
    [
      'takes ours away whose labels were taken off, where none is wanted',
      { wish: 'opted-out', present: stripped(current), rules: leave },
      { kind: 'remove' },
    ],
    [
      'takes ours away whose labels were taken off, without a source',
      { source: undefined, present: stripped(current) },
      { kind: 'remove' },
    ],
    [
      'leaves one alone whose credentials somebody else has written since',
      { wish: 'opted-out', present: stripped(theirs, labelsAlone), rules: leave },
      { kind: 'nothing' },
    ],
    [
      'leaves one alone that another manager has applied',
      { wish: 'opted-out', present: stripped(theirs, { ...applied, manager: 'kubectl' }) },
      { kind: 'nothing' },
    ],
    [
      'leaves one alone that was not applied under our name',
      { wish: 'opted-out', present: stripped(theirs, { ...applied, operation: 'Update' }) },
      { kind: 'nothing' },
    ],
    [
      'reports one of another type, ours or not',
      { present: { ...former, type: 'Opaque' } },
      { kind: 'report', what: 'another-type' },
    ],
    [
      'takes ours away where it cannot be changed',
      { present: { ...former, ...locked } },
      { kind: 'remove' },
    ],
    [
      'leaves ours that cannot and need not be changed',
      { present: { ...current, ...locked } },
      { kind: 'nothing' },
    ],
    [
      'reports a stranger’s that cannot be changed',
      { present: { ...theirs, ...locked } },
      { kind: 'report', what: 'unchangeable' },
    ],
    ['waits for the end of one that ends', { present: ending(former) }, { kind: 'nothing' }],
    [
      'skips a namespace that ends',
      { namespace: ending(namespaceOf('team-a')) },
      { kind: 'nothing' },
    ],
    ['skips a namespace that is gone', { namespace: undefined }, { kind: 'nothing' }],
    ['makes none without a source', { source: undefined }, { kind: 'nothing' }],
    [
      'takes ours away without a source',
      { source: undefined, present: current },
      { kind: 'remove' },
    ],
    [
      'leaves a stranger’s without a source',
      { source: undefined, present: theirs },
      { kind: 'nothing' },
    ],
    [
      'keeps what was copied in another place while its source is there',
      { source: undefined, present: elsewhere, formerSource: pullSecret('old', 'now') },
      { kind: 'nothing' },
    ],
    [
      'takes it away with that source',
      { source: undefined, present: elsewhere, formerSource: undefined },
      { kind: 'remove' },
    ],
    [
      'keeps nothing for a copy that stands in that place',
      { source: undefined, present: elsewhere, formerSource: copied(pullSecret('old', 'now')) },
      { kind: 'remove' },
    ],
    [
      'takes it away where none is wanted, whatever its source',
      { wish: 'opted-out', present: elsewhere, formerSource: pullSecret('old', 'now') },
      { kind: 'remove' },
    ],
    [
      'says of the same bytes from where they are now',
      { present: elsewhere },
      { kind: 'overwrite', isAdopted: false },
    ],
    ['copies no copy of its own', { source: copied(source), present: former }, { kind: 'nothing' }],
    [
      'copies one that somebody else has written since',
      { source: copied(source, { ...applied, manager: 'kim' }), present: former },
      { kind: 'overwrite' },
    ],
    [
      'reports a copy where the source should be',
      { namespace: namespaceOf(home), source: copied(source), present: copied(source) },
      { kind: 'report', what: 'a-copy' },
    ],
    ['makes none where none is wanted', { wish: 'opted-out' }, { kind: 'nothing' }],
    [
      'takes ours away where none is wanted',
      { wish: 'opted-out', present: current },
      { kind: 'remove' },
    ],
    [
      'keeps what is there while the feature is not available',
      { wish: 'unavailable', present: former, source: undefined },
      { kind: 'nothing' },
    ],
    ['makes none of a source without credentials', { source: unusable }, { kind: 'nothing' }],
    [
      'keeps the last good one under a source without credentials',
      { source: unusable, present: former },
      { kind: 'nothing' },
    ],
    [
      'never writes to the source',
      { namespace: namespaceOf(home), present: source },
      { kind: 'nothing' },
    ],
    [
      'reports a source without credentials where it is',
      { namespace: namespaceOf(home), source: unusable, present: unusable },
      { kind: 'report', what: 'no-credentials' },
    ],
  ])('%s', (_, given, expected) => {
    expect(plan(given)).toMatchObject(expected);
  });
});

describe('sourceCondition', () => {
  it.each<[string, Partial<Facts>, boolean, string]>([
    ['holds where there is one', {}, true, 'is copied'],
    ['says that there is none', { source: undefined }, false, 'there is no Secret'],
    ['says that nobody can use it', { source: unusable }, false, 'no pod can pull'],
    ['says that it is a copy', { source: copied(source) }, false, 'copy of its own'],
    ['minds none that nobody wants', { wish: 'unavailable', source: undefined }, true, 'none'],
  ])('%s', (_, given, holds, why) => {
    expect(sourceCondition(factsOf(given))).toEqual({
      ...{ name: 'pull-secret', holds },
      why: expect.stringContaining(why),
    });
  });
});

describe('the credentials of a Secret', () => {
  it.each<[string, KubeObject, string | undefined]>([
    ['are those of its key', source, credentials('now')],
    ['are none in another type', unusable, undefined],
    ['are none under another key', { ...source, data: { auth: 'eA==' } }, undefined],
    ['are none where they are empty', { ...source, data: { '.dockerconfigjson': '' } }, undefined],
    ['are none without data', { ...source, data: null }, undefined],
  ])('%s', (_, secret, expected) => {
    expect(credentialsIn(secret)).toBe(expected);
  });

  it('stand in no Event', () => {
    for (const what of ['no-credentials', 'another-type', 'unchangeable', 'a-copy'] as const) {
      expect(JSON.stringify(troubleWith(source, what))).not.toContain(credentials('now'));
    }
  });
});
