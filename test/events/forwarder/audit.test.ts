import { afterEach, describe, expect, it } from 'vitest';
import { isIn, suspicionOf } from '#events/forwarder/comparing.ts';
import type { Stream } from '#events/forwarder/ports.ts';
import { rowKey } from '#infra/emulator/testing/mirror/shelf.ts';
import { configMaps, pods } from '#shared/domain/kind.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import type { Listed, Scope } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';
import { pod, row } from './builders.ts';

const cursor = { epoch: 1, generation: 1, at: { resourceVersion: '9' } } as const;
const found = { namespace: 'team-a', name: 'web', resourceVersion: '5' };

describe('suspicionOf', () => {
  it.each<[string, Row, typeof found | undefined, string | undefined]>([
    ['a row that the list shows as it is', row({ version: 5 }), found, undefined],
    ['a row that is older than the list shows', row({ version: 3 }), found, 'stale'],
    ['a row that the list does not show', row({ version: 3 }), undefined, 'undeleted'],
    ['a row that an event has touched since', row({ version: 8 }), undefined, undefined],
    ['a row that is newer than a later list shows', row({ version: 6 }), found, 'went-back'],
    ['a row of the history before', row({ version: 3, epoch: 0 }), undefined, undefined],
  ])('judges %s', (_, mirrored, listed, expected) => {
    expect(suspicionOf(mirrored, listed, { version: '7', cursor })).toBe(expected);
  });
});

describe('isIn', () => {
  it('puts each uid into one slice of those that there are', () => {
    const uids = ['3f2a9c10-0000-4000-8000-00000000a1b2', 'x', ''];
    for (const uid of uids) {
      const slices = [0, 1, 2, 3].filter((index) => isIn({ of: 4, index }, uid));
      expect(slices).toHaveLength(1);
    }
  });
});

describe('the self-audit', () => {
  let world: Forwarding | undefined;
  afterEach(() => world?.close());

  /** A forwarder that audits all the time, and one pod that it knows. */
  async function audited() {
    world = await forwarding();
    const { metadata, ...object } = pod({ namespace: 'default' });
    world.cluster.objects.create(pods, {
      ...object,
      metadata: { name: 'web', namespace: 'default' },
    });
    const one = await world.start([subscribed({ of: pods })], { auditMs: 20 });
    await until('it watches', () => one.kinds().includes('watching'));
    await world.messages();
    return { world, one, metadata };
  }

  it('finds nothing where nothing is amiss', async () => {
    const { world: quiet, one } = await audited();
    const lists = () => quiet.cluster.requests.of('list', 'pods');
    const before = lists();
    await until('five audits', () => lists() >= before + 5);

    expect(one.kinds()).not.toContain('lost');
    expect(one.told).toContainEqual({ kind: 'audited', scope: 'pods' });
  });

  it('goes on where nothing is ever said, not even a bookmark', async () => {
    const silently = (stream: Stream): Stream => ({
      ...stream,
      async watch(_, options) {
        if (options.resourceVersion === undefined) return { kind: 'unsupported', why: 'older' };
        const next = async () => ({ kind: 'idle' }) as const;
        return { kind: 'open', next, close: () => undefined };
      },
    });
    world = await forwarding({ streamOver: silently });
    const { cluster, shelf, rows, start } = world;
    cluster.objects.create(pods, {
      ...pod(),
      metadata: { name: 'web', namespace: 'default' },
    });
    const one = await start([subscribed({ of: pods })], { auditMs: 20 });
    await until('it watches', () => one.kinds().includes('watching'));
    shelf.rows.clear();
    await until('it is healed', () => rows().length === 1);

    expect(one.told).toContainEqual({ kind: 'lost', scope: 'pods', count: 1 });
  });

  /** As an aggregated server that knows no `PartialObjectMetadata`. */
  function withoutMetadata(asked: Scope[] = []) {
    return (stream: Stream): Stream => ({
      ...stream,
      async list(scope, options) {
        asked.push(scope);
        if (scope.metadataOnly === true) return { kind: 'unsupported', why: 'HTTP 406' };
        return stream.list(scope, options);
      },
    });
  }

  it('goes by whole objects where the server lists no metadata', async () => {
    world = await forwarding({ streamOver: withoutMetadata() });
    const { cluster, shelf, rows, start } = world;
    cluster.objects.create(pods, { ...pod(), metadata: { name: 'web', namespace: 'default' } });
    const one = await start([subscribed({ of: pods })], { auditMs: 20 });
    await until('it watches', () => one.kinds().includes('watching'));
    shelf.rows.clear();
    await until('it is healed', () => rows().length === 1);

    expect(one.told).toContainEqual({ kind: 'lost', scope: 'pods', count: 1 });
  });

  it('goes by what a page of them would have shown, where one of them is larger than a page', async () => {
    const limits = { maxPageBytes: 20_000, maxLineBytes: 20_000, maxObjectBytes: 60_000 };
    world = await forwarding({ streamOver: withoutMetadata(), limits });
    const { cluster, shelf, rows, start } = world;
    for (const [name, bytes] of [['small', 10] as const, ['large', 30_000] as const]) {
      const metadata = { name, namespace: 'default' };
      const data = { x: 'x'.repeat(bytes) };
      cluster.objects.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    }
    const one = await start([subscribed({ of: configMaps })], { auditMs: 20 });
    await until('it watches', () => one.kinds().includes('watching'));
    await until('it is audited', () => one.kinds().includes('audited'));
    expect(one.kinds()).not.toContain('lost');
    shelf.rows.clear();
    await until('they are healed', () => rows().length === 2);
    await until('it is said', () => one.kinds().includes('lost'));

    expect(one.told).toContainEqual({ kind: 'lost', scope: 'configmaps', count: 2 });
  });

  it('reads nothing else of what is watched as metadata', async () => {
    const asked: Scope[] = [];
    world = await forwarding({ streamOver: withoutMetadata(asked) });
    await world.start([subscribed({ of: pods, metadataOnly: true })], { auditMs: 5 });
    await until('five audits', () => asked.length >= 5);

    expect(asked.filter(({ metadataOnly }) => metadataOnly !== true)).toEqual([]);
  });

  it('concludes nothing from a list with somebody whose version it does not know', async () => {
    let lists = 0;
    const noOne = (stream: Stream): Stream => ({
      ...stream,
      async list(scope, options) {
        const page = await stream.list(scope, options);
        if (page.kind !== 'page' || scope.metadataOnly !== true) return page;
        lists += 1;
        const oversized = [{ ...pod(), metadata: { name: 'web', namespace: 'default' } }];
        return { ...page, objects: [], oversized };
      },
    });
    world = await forwarding({ streamOver: noOne });
    const { cluster, start } = world;
    cluster.objects.create(pods, { ...pod(), metadata: { name: 'web', namespace: 'default' } });
    const one = await start([subscribed({ of: pods })], { auditMs: 5 });
    await until('five audits', () => lists >= 5);

    expect(one.kinds()).not.toContain('audited');
    expect(one.kinds()).not.toContain('lost');
  });

  it.each<[string, () => Promise<Listed>]>([
    ['breaks off', () => Promise.reject(new Error('cannot list pods: read ECONNRESET'))],
    ['is refused', async () => ({ kind: 'forbidden', why: 'HTTP 403' })],
    ['is refused for a moment', async () => ({ kind: 'busy', why: 'HTTP 503', afterSeconds: 1 })],
  ])(
    'is given up where a page of its list %s, which is said once, and the watch goes on',
    async (_, answer) => {
      const state = { isHindered: true, times: 0 };
      const hindered = (stream: Stream): Stream => ({
        ...stream,
        async list(scope, options) {
          const isSecond = scope.metadataOnly === true && options.continue !== undefined;
          if (!isSecond || !state.isHindered) return stream.list(scope, options);
          state.times += 1;
          return answer();
        },
      });
      world = await forwarding({ streamOver: hindered });
      for (const name of ['a', 'b']) {
        world.cluster.objects.create(pods, { ...pod(), metadata: { name, namespace: 'default' } });
      }
      const one = await world.start([subscribed({ of: pods })], { auditMs: 20, pageLimit: 1 });
      const times = (kind: string) => one.kinds().filter((each) => each === kind).length;
      await until('three audits', () => state.times >= 3);
      expect(times('unaudited')).toBe(1);

      state.isHindered = false;
      await until('one is carried through', () => times('audited') > 0);
      state.isHindered = true;
      await until('it is said again', () => times('unaudited') > 1);
      expect(times('unaudited')).toBe(2);
      expect([times('watching'), times('watch-ended'), times('failed')]).toEqual([1, 0, 0]);
    },
  );

  it('finds an object that nobody told of, counts it and wakes for it', async () => {
    const { world: holed, one } = await audited();
    const [known] = holed.rows();
    if (known === undefined) throw new Error('no row');
    holed.shelf.rows.delete(rowKey({ cluster: 'default', ...pods }, known.uid));
    await until('it is healed', () => holed.rows().length === 1);

    expect(one.told).toContainEqual({ kind: 'lost', scope: 'pods', count: 1 });
    expect((await holed.messages()).map(({ body }) => JSON.parse(body))).toMatchObject([
      { name: 'web', deleted: false },
    ]);
  });

  it('finds one that lives, and that the history before has ended, counts it and wakes for it', async () => {
    const { world: holed, one } = await audited();
    const [[key, stored] = []] = holed.shelf.rows;
    if (key === undefined || stored === undefined) throw new Error('no row');
    holed.shelf.rows.set(key, { ...stored, row: { ...stored.row, isDeleted: true, epoch: 0 } });
    await until('it is healed', () => holed.rows()[0]?.isDeleted === false);

    expect(one.told).toContainEqual({ kind: 'lost', scope: 'pods', count: 1 });
    expect(one.kinds()).not.toContain('new-epoch');
    expect((await holed.messages()).map(({ body }) => JSON.parse(body))).toMatchObject([
      { name: 'web', deleted: false },
    ]);
  });

  it.each<[string, (row: Row) => Partial<Row>]>([
    [
      'is newer than the server has it',
      ({ resourceVersion }) => ({ resourceVersion: String(Number(resourceVersion) + 1) }),
    ],
    ['is deleted, and lives at the server', () => ({ isDeleted: true })],
  ])('finds a restore that nobody noticed, by a row that %s', async (_, changed) => {
    const { world: holed, one } = await audited();
    const [[key, stored] = []] = holed.shelf.rows;
    if (key === undefined || stored === undefined) throw new Error('no row');
    const { row: known } = stored;
    holed.shelf.rows.set(key, { ...stored, row: { ...known, ...changed(known) } });
    // The server goes on, past what the mirror believes of the history that is lost.
    const { metadata: _metadata, ...object } = pod();
    for (const name of ['a', 'b']) {
      holed.cluster.objects.create(pods, { ...object, metadata: { name, namespace: 'default' } });
    }
    const now = () => holed.shelf.rows.get(key)?.row;
    await until('it is compared anew', () => now()?.epoch === 2 && now()?.isDeleted === false);

    expect(now()?.resourceVersion).toBe(known.resourceVersion);
    expect(one.told).toContainEqual(expect.objectContaining({ kind: 'new-epoch', epoch: 2 }));
    expect(one.kinds()).not.toContain('lost');
  });

  it('finds a deletion that nobody told of, and wakes for it', async () => {
    const { world: holed, one } = await audited();
    const [stored] = [...holed.shelf.rows.values()];
    if (stored === undefined) throw new Error('no row');
    const { resourceVersion } = stored.row;
    const ghost = { ...stored.row, uid: 'ghost', name: 'ghost', resourceVersion };
    const key = rowKey({ cluster: 'default', ...pods }, 'ghost');
    const object = {
      ...ghost.object,
      metadata: { ...ghost.object.metadata, name: 'ghost', uid: 'ghost' },
    };
    holed.shelf.rows.set(key, { ...stored, row: { ...ghost, object } });
    await until('it is healed', () => holed.shelf.rows.get(key)?.row.isDeleted === true);

    expect(one.told).toContainEqual({ kind: 'lost', scope: 'pods', count: 1 });
    expect((await holed.messages()).map(({ body }) => JSON.parse(body))).toMatchObject([
      { name: 'ghost', deleted: true },
    ]);
  });
});
