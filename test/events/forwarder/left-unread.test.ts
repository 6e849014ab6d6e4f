import { afterEach, describe, expect, it } from 'vitest';
import type { Store, Stream } from '#events/forwarder/ports.ts';
import { isLines } from '#events/forwarder/streaming.ts';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

let open: Forwarding | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** A forwarder that has mirrored one pod, and what it asks of the mirror from then on. */
async function begin(watch: Watch, streamOver?: (stream: Stream) => Stream) {
  const shelf = mirrorShelf();
  const queue = queueInMemory({ now: Date.now, after: () => () => undefined });
  const inMemory = storeInMemory({ shelf, cluster: 'default', now: Date.now, open: queue.open });
  const reads: ('objects' | 'rows')[] = [];
  const store: Store = {
    ...inMemory,
    transact: (term, work, how) =>
      inMemory.transact(
        term,
        (transaction) =>
          work({
            ...transaction,
            find(wanted) {
              reads.push(wanted.withoutObjects ? 'rows' : 'objects');
              return transaction.find(wanted);
            },
          }),
        how,
      ),
  };
  open = await forwarding({ store, ...(streamOver && { streamOver }) });
  const { objects } = open.cluster;
  objects.create(pods, pod('first'));
  const { kinds } = await open.start([subscribed(watch)]);
  await until('it watches', () => kinds().includes('watching'));
  reads.length = 0;
  const rows = () => [...shelf.rows.values()].map(({ row }) => row);
  return { objects, rows, reads };
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

describe('what an object was', () => {
  it.each<[string, Watch, 'objects' | 'rows']>([
    ['is not read for who is woken by any change', { of: pods }, 'rows'],
    ['is read for who is woken by some changes', { of: pods, changed: ['/spec'] }, 'objects'],
  ])('%s', async (_, watch, read) => {
    const { objects, rows, reads } = await begin(watch);
    objects.patch(pods, at, { metadata: { labels: { app: 'second' } } });
    await until('the change is mirrored', () =>
      rows().some(({ object }) => object.metadata.labels?.['app'] === 'second'),
    );
    expect(reads).toEqual([read]);
  });

  it('is read all the same where it ended without a word, and stays its last', async () => {
    const { objects, rows, reads } = await begin({ of: pods }, withoutEnds);
    const [old] = rows();
    objects.delete(pods, at);
    objects.create(pods, pod('second'));
    await until('its successor is mirrored', () => rows().length === 2);

    expect(rows().find(({ uid }) => uid === old?.uid)).toMatchObject({
      isDeleted: true,
      object: { metadata: { labels: { app: 'first' } } },
    });
    expect(reads).toContain('rows');
    expect(reads.at(-1)).toBe('objects');
  });
});
