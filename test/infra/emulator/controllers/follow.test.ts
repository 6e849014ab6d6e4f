import { describe, expect, it } from 'vitest';
import { follow, type Stream } from '#infra/emulator/controllers/frame/follow.ts';
import { openShelf } from '#infra/emulator/controllers/frame/shelf.ts';
import { stateOf } from '#infra/emulator/controllers/garbage/graph.ts';
import { configMaps, type KindOf } from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Line, Listed, WatchEnd } from '#shared/domain/watched.ts';
import { metaOf } from './making.ts';

const object = (name: string, resourceVersion: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metaOf(name, { resourceVersion }) },
  }) as never;

const change = (type: 'ADDED' | 'DELETED', name: string, version: string): Line => ({
  kind: 'change',
  type,
  object: object(name, version),
});

const page = (resourceVersion: string, ...names: readonly string[]): Listed => ({
  kind: 'page',
  objects: names.map((name) => object(name, resourceVersion)),
  resourceVersion,
  continue: undefined,
  bytes: 0,
});

type Said = Listed | readonly (readonly Line[] | WatchEnd)[];

/** A server that answers each list and each watch with the next thing that it is told; then the controllers end. */
async function followed(script: readonly Said[]) {
  const ending = new AbortController();
  const shelf = openShelf<Thing>(configMaps);
  const asked: string[] = [];
  let at = 0;
  const next = () => {
    const said = script[at];
    at += 1;
    if (at >= script.length) ending.abort();
    return said;
  };
  const stream = {
    list: async () => {
      asked.push('list');
      return next();
    },
    watch: async (_: unknown, { resourceVersion }: { readonly resourceVersion: string }) => {
      asked.push(`watch ${resourceVersion}`);
      const said = next();
      if (!Array.isArray(said)) return said;
      const batches = [...said, { kind: 'closed' }];
      return { kind: 'open', next: async () => batches.shift(), close: () => {} };
    },
  } as unknown as Stream;
  let synced = 0;
  await follow({ kind: configMaps, metadataOnly: true }, shelf, {
    stream,
    signal: ending.signal,
    pause: async () => 'over',
    kept: (each) => each as unknown as Thing,
    onSynced: () => {
      synced += 1;
    },
    onTrouble: () => {},
  });
  return { asked, synced, names: [...shelf.list()].map(({ metadata }) => metadata.name) };
}

describe('follow', () => {
  it.each<[string, readonly Said[], readonly string[], readonly string[]]>([
    [
      'goes on where a watch was cut',
      [page('5', 'a'), [[change('ADDED', 'b', '7')], { kind: 'cut', why: 'gone' }], []],
      ['list', 'watch 5', 'watch 7'],
      ['a', 'b'],
    ],
    [
      'goes on from a bookmark',
      [page('5', 'a'), [[{ kind: 'bookmark', resourceVersion: '9', isInitialEnd: false }]], []],
      ['list', 'watch 5', 'watch 9'],
      ['a'],
    ],
    [
      'lists anew what is too old',
      [page('5', 'a'), { kind: 'expired', why: 'old' }, page('9', 'b')],
      ['list', 'watch 5', 'list'],
      ['b'],
    ],
    [
      'lists anew what it could not read',
      [
        page('5', 'a'),
        [[{ kind: 'garbled', why: 'x' }, change('ADDED', 'c', '8')]],
        page('9', 'a', 'b'),
      ],
      ['list', 'watch 5', 'list'],
      ['a', 'b'],
    ],
    [
      'lists anew what was too large to be read',
      [
        page('5', 'a'),
        [[{ kind: 'oversized', namespace: '', name: '', bytes: 1 }]],
        page('9', 'a'),
      ],
      ['list', 'watch 5', 'list'],
      ['a'],
    ],
    [
      'forgets what was deleted',
      [page('5', 'a', 'b'), [[change('DELETED', 'a', '6')]]],
      ['list', 'watch 5'],
      ['b'],
    ],
    [
      'forgets all of a kind that nobody serves any more',
      [page('5', 'a'), { kind: 'absent', why: '404' }],
      ['list', 'watch 5'],
      [],
    ],
    [
      'keeps what it knows while it may not read',
      [page('5', 'a'), { kind: 'forbidden', why: '403' }],
      ['list', 'watch 5'],
      ['a'],
    ],
    [
      'asks a busy server once more',
      [{ kind: 'busy', why: '503', afterSeconds: undefined }, page('5', 'a')],
      ['list', 'list'],
      ['a'],
    ],
  ])('%s', async (_, script, asked, names) => {
    expect(await followed(script)).toMatchObject({ asked, names });
  });

  it('counts as through with a kind that is not served: nobody waits for it', async () => {
    expect((await followed([{ kind: 'absent', why: '404' }])).synced).toBe(1);
  });
});

describe('the owner that a reference names', () => {
  const dependent: Thing = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metaOf('c') };
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'uid-owner' };
  const known = { ...(configMaps as KindOf<Thing>), verbs: ['delete'] };

  const worldWith = (live: Thing | undefined, kinds = [known]) => ({
    discover: async () => ({ kinds, failures: [] }),
    metadataOf: () => openShelf<Thing>(configMaps),
    api: { find: async () => live as unknown as KubeObject | undefined },
  });
  const owner = (uid: string, more: object = {}): Thing => ({
    ...dependent,
    metadata: metaOf('owner', { uid, ...more }),
  });
  const going = { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] };

  it.each([
    ['is there when only the server knows it yet', worldWith(owner('uid-owner')), 'there'],
    ['is gone when the server has none', worldWith(undefined), 'gone'],
    ['is gone when another one has its name', worldWith(owner('uid-other')), 'gone'],
    ['counts as there when nobody serves its kind', worldWith(undefined, []), 'there'],
    [
      'is there while it waits for others than this one',
      worldWith(owner('uid-owner', going)),
      'there',
    ],
  ])('%s', async (_, world, expected) => {
    expect(await stateOf(reference, dependent, world)).toBe(expected);
  });

  it('waits for a dependent that blocks it', async () => {
    const blocking = { ...reference, blockOwnerDeletion: true };
    const own = { ...dependent, metadata: metaOf('c', { ownerReferences: [blocking] }) };
    expect(await stateOf(blocking, own, worldWith(owner('uid-owner', going)))).toBe('waiting');
  });
});
