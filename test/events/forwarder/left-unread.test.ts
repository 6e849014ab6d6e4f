import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store, Stream } from '#events/forwarder/ports.ts';
import { isLines } from '#events/forwarder/streaming.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { forwarding, subscribed, until } from '#test/support/forwarding.ts';
import { databases, type Open } from './databases.ts';

type Asked = 'rows' | 'objects';

type Written = { readonly app: string | undefined; readonly isDeleted: boolean };

/** A forwarder that has mirrored one pod, and what each of its transactions asks of the mirror from then on, and writes. */
async function begin(open: Open, watch?: Watch, streamOver?: (stream: Stream) => Stream) {
  const { store, rows, close } = await open([]);
  onTestFinished(async () => void (await close()));
  const all: Asked[][] = [];
  const written: Written[] = [];
  const transact: Store['transact'] = (term, work, how) => {
    const noted: typeof work = (transaction) => {
      const asked: Asked[] = [];
      all.push(asked);
      return work({
        ...transaction,
        find(wanted) {
          // Of a bookmark there is nothing to be known.
          if (wanted.uids.length > 0) asked.push(wanted.withoutObjects ? 'rows' : 'objects');
          return transaction.find(wanted);
        },
        async write(some) {
          await transaction.write(some);
          for (const { object, isDeleted } of some) {
            written.push({ app: object.metadata.labels?.['app'], isDeleted });
          }
        },
      });
    };
    return store.transact(term, noted, how);
  };
  const world = await forwarding({
    store: { ...store, transact },
    ...(streamOver && { streamOver }),
  });
  onTestFinished(world.close);
  const { objects } = world.cluster;
  objects.create(pods, pod('first'));
  const { kinds, followAll } = await world.start([]);
  const subscriptions = watch === undefined ? [] : [subscribed(watch)];
  await followAll([{ scope: { kind: pods }, subscriptions }]);
  await until('it watches', () => kinds().includes('watching'));
  all.length = 0;
  written.length = 0;
  return { objects, rows, written, asked: () => all.filter((each) => each.length > 0) };
}

function pod(app: string) {
  const metadata = { name: 'web', namespace: 'default', labels: { app } };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [] } };
}

const at = { namespace: 'default', name: 'web' };

/** Nobody says that anything ended. */
const withoutEnds = (stream: Stream): Stream => ({
  ...stream,
  async watch(scope, options) {
    const watching = await stream.watch(scope, options);
    if (watching.kind !== 'open') return watching;
    const next = async () => {
      const lines = await watching.next();
      if (!isLines(lines)) return lines;
      return lines.filter((line) => line.kind !== 'change' || line.type !== 'DELETED');
    };
    return { ...watching, next };
  },
});

describe.each(databases)('what an object was (%s)', (_, open) => {
  it.each<[string, Watch | undefined, Asked]>([
    ['is not read for who only reads', undefined, 'rows'],
    ['is not read for who is woken by any change', { of: pods }, 'rows'],
    ['is read for who is woken by some changes', { of: pods, changed: ['/spec'] }, 'objects'],
  ])('%s', async (_, watch, read) => {
    const { objects, written, asked } = await begin(open, watch);
    objects.patch(pods, at, { metadata: { labels: { app: 'second' } } });
    await until('the change is written', () => written.some(({ app }) => app === 'second'));
    expect(asked()).toEqual([[read]]);
  });

  it.each<[string, Watch | undefined]>([
    ['who is woken by any change', { of: pods }],
    ['who only reads', undefined],
  ])('is read for %s where it ended without a word, and stays its last', async (_, watch) => {
    const { objects, rows, written, asked } = await begin(open, watch, withoutEnds);
    objects.delete(pods, at);
    objects.create(pods, pod('second'));
    await until('its successor is mirrored', async () => (await rows()).length === 2);

    expect(written).toEqual([
      { app: 'first', isDeleted: true },
      { app: 'second', isDeleted: false },
    ]);
    expect(asked()).toContainEqual(['rows', 'objects']);
  });
});
