import { afterEach, describe, expect, it } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { rowKey } from '#infra/emulator/testing/mirror/shelf.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import type { Watch } from '#shared/domain/watch.ts';
import type { Listed, Watching } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';
import { pod } from './builders.ts';

type Page = Listed & { readonly kind: 'page' };
type Lie = (page: Page) => Page;

const truth: Lie = (page) => page;
/** As from a replica that does not know the object yet, or one that is damaged. */
const nothing: Lie = (page) => ({ ...page, objects: [] });
/** A newer version of each than anybody was told of. */
const newer: Lie = (page) => ({
  ...page,
  objects: page.objects.map((object) => ({
    ...object,
    metadata: { ...object.metadata, resourceVersion: '999999999' },
  })),
});
const fromTheFuture: Lie = (page) => ({ ...page, resourceVersion: '999999999' });

let world: Forwarding | undefined;
afterEach(() => world?.close());

/** A cluster whose audit lists say what they are told to, and whose watches tell nothing while they are `deaf`. */
async function meddledWith(
  watch: Watch = { of: pods },
  labels: Readonly<Record<string, string>> = {},
) {
  const lies: Lie[] = [];
  const state = { isDeaf: false, audits: 0, looks: 0 };
  const streamOver = (stream: Stream): Stream => ({
    ...stream,
    async list(scope, options) {
      const listed = await stream.list(scope, options);
      if (scope.metadataOnly !== true || listed.kind !== 'page') return listed;
      state.audits += 1;
      return (lies.shift() ?? truth)(listed);
    },
    async watch(scope, options) {
      const opened = await stream.watch(scope, options);
      return opened.kind === 'open' ? withheld(opened, () => state.isDeaf) : opened;
    },
    async find(...given) {
      state.looks += 1;
      return stream.find(...given);
    },
  });
  const opened = await forwarding({ streamOver, cluster: await fakeCluster({ bookmarkMs: 5 }) });
  world = opened;
  const create = (name: string, namespace = 'default', more = labels) => {
    const { metadata, ...object } = pod({ namespace });
    opened.cluster.objects.create(pods, {
      ...object,
      metadata: { name, namespace, labels: { ...more } },
    });
  };
  create('web');
  const one = await opened.start([subscribed(watch)], { auditMs: 5 });
  await until('it watches', () => one.kinds().includes('watching'));
  await until('it knows the pod', () => opened.rows().length === 1);
  await opened.messages();
  const auditsMore = (count: number) => {
    const from = state.audits;
    return until(`${count} audits`, () => state.audits >= from + count);
  };
  const lost = () => one.kinds().filter((kind) => kind === 'lost').length;
  return { ...opened, state, lies, create, auditsMore, lost, told: one.told };
}

function withheld(watching: Watching, isDeaf: () => boolean): Watching {
  return {
    ...watching,
    async next() {
      for (;;) {
        const lines = await watching.next();
        if (!Array.isArray(lines) || !isDeaf()) return lines;
        const kept = lines.filter(({ kind }) => kind !== 'change');
        if (kept.length > 0) return kept;
      }
    },
  };
}

/** Behind everybody's back. */
function forget({ shelf }: Forwarding, { uid }: Row): void {
  shelf.rows.delete(rowKey({ cluster: 'default', ...pods }, uid));
}

describe('what one audit says', () => {
  it.each([
    ['an object that is not listed', nothing],
    ['an object of a newer version', newer],
  ])('and the next one does not, counts for nothing: %s', async (_, lie) => {
    const { lies, auditsMore, lost, state, messages, rows } = await meddledWith();
    lies.push(lie, truth, lie, truth);
    await auditsMore(6);

    expect(lost()).toBe(0);
    expect(state.looks).toBe(0);
    expect(await messages()).toEqual([]);
    expect(rows().map(({ isDeleted }) => isDeleted)).toEqual([false]);
  });

  it('and the next one says otherwise, counts for nothing', async () => {
    const { lies, auditsMore, lost } = await meddledWith();
    lies.push(newer, nothing, newer, nothing);
    await auditsMore(6);

    expect(lost()).toBe(0);
  });

  it('and the next one says too, counts once, and a GET decides what is true', async () => {
    const { lies, auditsMore, lost, state, rows } = await meddledWith();
    lies.push(nothing, nothing);
    await auditsMore(6);

    expect(lost()).toBe(1);
    expect(state.looks).toBe(1);
    expect(rows().map(({ isDeleted }) => isDeleted)).toEqual([false]);
  });

  it('waits until the watch has told all that it may have seen', async () => {
    const meddled = await meddledWith();
    const [known] = meddled.rows();
    if (known === undefined) throw new Error('no row');
    meddled.lies.push(...Array(50).fill(fromTheFuture));
    await meddled.auditsMore(1);
    forget(meddled, known);
    const before = meddled.state.audits;
    // Bookmarks go on, and each of them asks whether the audit can be concluded.
    const heard = () => meddled.told.filter(({ kind }) => kind === 'heard').length;
    const from = heard();
    await until('bookmarks', () => heard() >= from + 5);

    expect(meddled.lost()).toBe(0);
    expect(meddled.state.audits).toBe(before);
  });
});

describe('the audit of a watch that is narrowed', () => {
  const labels = { app: 'web' };
  const narrowed: readonly [string, Watch][] = [
    ['to a namespace', { of: pods, namespace: 'default' }],
    ['to a name', { of: pods, namespace: 'default', name: 'web' }],
    ['by labels at the server', { of: pods, labels: { matchLabels: labels }, atServer: true }],
    ['by fields at the server', { of: pods, fields: 'metadata.name=web', atServer: true }],
    ['to metadata', { of: pods, namespace: 'default', metadataOnly: true }],
  ];

  it.each(narrowed)(
    'finds what is missing in it, and misses nothing outside: %s',
    async (_, watch) => {
      const meddled = await meddledWith(watch, labels);
      meddled.create('other', 'elsewhere', {});
      await meddled.auditsMore(4);
      expect(meddled.lost()).toBe(0);

      const [known] = meddled.rows();
      if (known === undefined) throw new Error('no row');
      forget(meddled, known);
      await until('it is healed', () => meddled.rows().length === 1);
      expect(meddled.lost()).toBe(1);
      expect(meddled.rows()[0]).toMatchObject({ name: 'web', isDeleted: false });
    },
  );

  it.each(narrowed)('finds a deletion that nobody told of: %s', async (_, watch) => {
    const meddled = await meddledWith(watch, labels);
    meddled.state.isDeaf = true;
    meddled.cluster.objects.delete(pods, { namespace: 'default', name: 'web' });
    await until('it is healed', () => meddled.rows().every(({ isDeleted }) => isDeleted));

    expect(meddled.lost()).toBe(1);
    expect((await meddled.messages()).map(({ body }) => JSON.parse(body))).toMatchObject([
      { name: 'web', deleted: true },
    ]);
  });

  it('takes no object for deleted that only left its labels', async () => {
    const watch: Watch = { of: pods, labels: { matchLabels: labels }, atServer: true };
    const meddled = await meddledWith(watch, labels);
    meddled.state.isDeaf = true;
    const at = { namespace: 'default', name: 'web' };
    meddled.cluster.objects.patch(pods, at, { metadata: { labels: { app: 'db' } } });
    await until('it is forgotten', () => meddled.rows().length === 0);

    expect(meddled.lost()).toBe(1);
    const woken = (await meddled.messages()).map(({ body }) => JSON.parse(body));
    expect(woken).toMatchObject([{ name: 'web', deleted: false }]);
  });
});
