import { describe, expect, it } from 'vitest';
import { comparesStates, concerns, type Happened, wakesOf } from '#events/forwarder/wakes.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { namespaces, pods } from '#shared/domain/kind.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { deployments, pod, type Stated } from './builders.ts';

function happened(type: Happened['type'], before?: Stated, after?: Stated): Happened {
  return {
    type,
    before: before === undefined ? undefined : pod(before),
    after: after === undefined ? undefined : pod(after),
    namespace: 'team-a',
    name: 'web',
    uid: 'u1',
    eventId: `u1/2/${type}`,
  };
}

const web = { labels: { app: 'web' } };
const db = { labels: { app: 'db' } };
const wantsWeb: Watch = { of: pods, labels: { matchLabels: { app: 'web' } } };
const onNode: Watch = { of: pods, fields: 'spec.nodeName=worker-1' };
const specOnly: Watch = { of: pods, changed: ['/spec'] };
const specOfWeb: Watch = { ...wantsWeb, changed: ['/spec'] };
const specOnNode: Watch = { ...onNode, changed: ['/metadata/labels'] };
const newWeb: Watch = { ...wantsWeb, on: ['added'] };
const goneWeb: Watch = { ...wantsWeb, on: ['deleted'] };
const changedWeb: Watch = { ...wantsWeb, on: ['modified'] };
const changedWebAtServer: Watch = { ...changedWeb, atServer: true };
const labelOnly: Watch = { of: pods, changed: ['/metadata/labels/app'] };

describe('concerns', () => {
  it.each<[string, Watch, Happened, boolean]>([
    ['everything', { of: pods }, happened('added', undefined, {}), true],
    [
      'another namespace',
      { of: pods, namespace: 'team-b' },
      happened('added', undefined, {}),
      false,
    ],
    [
      'its own namespace',
      { of: pods, namespace: 'team-a' },
      happened('added', undefined, {}),
      true,
    ],
    ['another name', { of: pods, name: 'db' }, happened('added', undefined, {}), false],
    ['labels that match now', wantsWeb, happened('modified', db, web), true],
    ['labels that matched before', wantsWeb, happened('modified', web, db), true],
    ['labels that never matched', wantsWeb, happened('modified', db, db), false],
    ['a deletion of what matched', wantsWeb, happened('deleted', web, undefined), true],
    ['a deletion of what did not', wantsWeb, happened('deleted', db, undefined), false],
    ['a deletion whose last state matches', wantsWeb, happened('deleted', db, web), true],
    [
      'a field that matches now',
      onNode,
      happened('modified', {}, { spec: { nodeName: 'worker-1' } }),
      true,
    ],
    [
      'a field that matched before',
      onNode,
      happened('modified', { spec: { nodeName: 'worker-1' } }, {}),
      true,
    ],
    [
      'a field that says nothing, as the API server reads it',
      { of: pods, fields: 'spec.hostNetwork=false' },
      happened('added', undefined, {}),
      true,
    ],
    ['a field that never matched', onNode, happened('modified', {}, {}), false],
    [
      'a kind of change that it wants',
      { of: pods, on: ['deleted'] },
      happened('deleted', {}),
      true,
    ],
    [
      'a kind of change that it does not',
      { of: pods, on: ['deleted'] },
      happened('modified', {}, {}),
      false,
    ],
    [
      'a change of the spec',
      specOnly,
      happened('modified', { spec: { a: 1 } }, { spec: { a: 2 } }),
      true,
    ],
    ['a change beside the spec', specOnly, happened('modified', web, db), false],
    ['a change beside the spec of a new one', specOnly, happened('added', undefined, {}), true],
    ['the end of one whose spec is as it was', specOnly, happened('deleted', {}, {}), true],
    ['a label that is gone', labelOnly, happened('modified', web, {}), true],
    [
      'another label',
      labelOnly,
      happened('modified', web, { labels: { app: 'web', x: '1' } }),
      false,
    ],
    [
      'one that begins to match, its spec as it was',
      specOfWeb,
      happened('modified', db, web),
      true,
    ],
    [
      'one that ceases to match, its spec as it was',
      specOfWeb,
      happened('modified', web, db),
      true,
    ],
    [
      'one that goes on to match, its spec as it was',
      specOfWeb,
      happened('modified', web, web),
      false,
    ],
    [
      'one whose field begins to match',
      specOnNode,
      happened('modified', {}, { spec: { nodeName: 'worker-1' } }),
      true,
    ],
    ['one that begins to match as a new one', newWeb, happened('modified', db, web), true],
    ['one that begins to match as a change', changedWeb, happened('modified', db, web), true],
    ['a new one as a change', changedWeb, happened('added', undefined, web), false],
    [
      'one that a selector at the server shows first, as a change',
      changedWebAtServer,
      happened('added', undefined, web),
      true,
    ],
    [
      'one that nothing at the server selects, as a change',
      { of: pods, atServer: true, on: ['modified'] },
      happened('added', undefined, web),
      false,
    ],
    [
      'one that a selector at the server shows first, as a deleted one',
      { ...goneWeb, atServer: true },
      happened('added', undefined, web),
      false,
    ],
    ['one that goes on to match as a new one', newWeb, happened('modified', web, web), false],
    ['one that ceases to match as a new one', newWeb, happened('modified', web, db), false],
    ['one that ceases to match as a deleted one', goneWeb, happened('modified', web, db), false],
  ])('is asked about %s', (_, watch, event, expected) => {
    expect(concerns(watch, event)).toBe(expected);
  });
});

function ownedBy(...names: readonly string[]): JsonObject {
  const reference = { apiVersion: 'apps/v1', kind: 'Deployment' };
  return { ownerReferences: names.map((name) => ({ ...reference, name, uid: `uid-of-${name}` })) };
}

function bodiesOf(watch: Watch, event: Happened): readonly unknown[] {
  const messages = wakesOf(event, { function: 'look', watch }, 'default');
  return messages.map(({ body }) => JSON.parse(body));
}

describe('wakesOf', () => {
  it('wakes for the object itself, and says whether it is gone', () => {
    expect(bodiesOf({ of: pods }, happened('deleted', {}))).toMatchObject([
      {
        kind: 'object',
        resource: 'pods',
        namespace: 'team-a',
        name: 'web',
        uid: 'u1',
        deleted: true,
      },
    ]);
  });

  it('wakes for the owner that it has and for the one that it had', () => {
    const watch: Watch = { of: pods, wakes: { owner: deployments } };
    const event = happened('modified', { metadata: ownedBy('old') }, { metadata: ownedBy('new') });
    expect(bodiesOf(watch, event)).toMatchObject([
      { resource: 'deployments', name: 'old', uid: 'uid-of-old', deleted: false },
      { resource: 'deployments', name: 'new', uid: 'uid-of-new', deleted: false },
    ]);
  });

  it('wakes both owners of what changed hands, whatever else of it was to change', () => {
    const watch: Watch = { of: pods, changed: ['/status'], wakes: { owner: deployments } };
    const event = happened('modified', { metadata: ownedBy('old') }, { metadata: ownedBy('new') });
    const names = bodiesOf(watch, event).map((body) => Reflect.get(Object(body), 'name'));
    expect(names).toEqual(['old', 'new']);
    const same = happened(
      'modified',
      { metadata: ownedBy('a', 'b') },
      { metadata: ownedBy('b', 'a') },
    );
    expect(bodiesOf(watch, same)).toEqual([]);
  });

  it('wakes the owner that has the name by now and the one that had it', () => {
    const watch: Watch = { of: pods, wakes: { owner: deployments } };
    const one = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const of = (uid: string) => ({ metadata: { ownerReferences: [{ ...one, uid }] } });
    expect(bodiesOf(watch, happened('modified', of('u1'), of('u2')))).toMatchObject([
      { name: 'web', uid: 'u1' },
      { name: 'web', uid: 'u2' },
    ]);
  });

  it.each([
    ['another kind', { apiVersion: 'batch/v1', kind: 'Job' }],
    ['that kind in another group', { apiVersion: 'example.org/v1', kind: 'Deployment' }],
  ])('wakes nobody for owners of %s', (_, other) => {
    const metadata = { ownerReferences: [{ ...other, name: 'j', uid: 'u9' }] };
    const watch: Watch = { of: pods, wakes: { owner: deployments } };
    expect(bodiesOf(watch, happened('added', undefined, { metadata }))).toEqual([]);
  });

  it('makes one message for a whole set, however large', () => {
    const watch: Watch = { of: namespaces, wakes: { all: pods } };
    const event = { ...happened('modified', {}, {}), namespace: '', name: 'team-a' };
    expect(bodiesOf(watch, event)).toEqual([
      {
        kind: 'set',
        cluster: 'default',
        group: '',
        resource: 'pods',
        namespace: 'team-a',
        after: '',
      },
    ]);
  });

  it('means all of a kind whose objects are in no namespace, wherever the news is from', () => {
    const watch: Watch = { of: pods, wakes: { all: namespaces } };
    expect(bodiesOf(watch, happened('modified', {}, {}))).toMatchObject([
      { kind: 'set', resource: 'namespaces', namespace: '' },
    ]);
  });

  it('carries no state of the object', () => {
    const watch: Watch = { of: pods };
    const [message] = wakesOf(
      happened('added', undefined, { spec: { password: 'hunter2' } }),
      { function: 'look', watch },
      'default',
    );
    expect(JSON.stringify(message)).not.toContain('hunter2');
  });
});

describe('what was before', () => {
  const types = ['added', 'modified', 'deleted'] as const;
  const told: readonly Watch[] = [
    { of: pods },
    { of: pods, namespace: 'team-a', name: 'web', metadataOnly: true },
    ...types.map((type): Watch => ({ of: pods, on: [type] })),
    { of: namespaces, wakes: { all: pods } },
  ];
  const comparing: readonly Watch[] = [wantsWeb, onNode, specOnly, newWeb, changedWebAtServer];
  const owned: Watch = { of: pods, wakes: { owner: deployments } };

  it.each(told)('is no matter to %j', (watch) => {
    const asked = () => {
      throw new Error('it was asked');
    };
    for (const type of types) {
      const event = Object.defineProperty(happened(type, web, web), 'before', { get: asked });
      expect(() => bodiesOf(watch, event)).not.toThrow();
    }
    expect(comparesStates(watch)).toBe(false);
  });

  it.each([...comparing, owned])('may matter to %j', (watch) => {
    expect(comparesStates(watch)).toBe(true);
  });
});
