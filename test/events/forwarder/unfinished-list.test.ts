import { expect, it, onTestFinished } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { isLines } from '#events/forwarder/streaming.ts';
import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { pods } from '#shared/domain/kind.ts';
import type { WatchEnd, Watching } from '#shared/domain/watched.ts';
import { forwarding, subscribed, until } from '#test/support/forwarding.ts';

const cut: WatchEnd = { kind: 'cut', why: 'reset' };

/** Shows what exists, and never that this was all. */
function endless(watching: Watching): Watching {
  let isOver = false;
  const next = async () => {
    const lines = isOver ? cut : await watching.next();
    isOver = true;
    if (!isLines(lines)) return lines;
    return lines.filter(({ kind }) => kind === 'change');
  };
  return { ...watching, next };
}

/** No list comes to its end while it is broken. */
const breaking =
  (now: { isBroken: boolean }) =>
  (stream: Stream): Stream => ({
    ...stream,
    async list(scope, options) {
      if (now.isBroken) return { kind: 'busy', why: 'HTTP 429', afterSeconds: undefined };
      return stream.list(scope, options);
    },
    async watch(scope, options) {
      const opened = await stream.watch(scope, options);
      const isList = options.resourceVersion === undefined;
      return isList && now.isBroken && opened.kind === 'open' ? endless(opened) : opened;
    },
  });

function create({ objects }: FakeCluster, name: string): void {
  const metadata = { name, namespace: 'default' };
  objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata });
}

const young = [
  subscribed({ of: pods, indexes: { name: ({ metadata: { name = '' } }) => [name] } }, 'reads'),
  subscribed({ of: pods }),
];
const old = [
  subscribed({ of: pods, indexes: { uid: ({ metadata: { uid = '' } }) => [uid] } }, 'reads'),
  subscribed({ of: pods, on: ['deleted'] }),
];

it('what another configuration’s unfinished list wrote is told and indexed by whoever comes after it', async () => {
  const now = { isBroken: false };
  const world = await forwarding({ streamOver: breaking(now) });
  onTestFinished(world.close);
  create(world.cluster, 'a');
  const first = await world.start(young);
  await until('it watches', () => first.kinds().includes('watching'));
  now.isBroken = true;
  world.cluster.past.restart();
  create(world.cluster, 'c');
  world.cluster.past.compact();
  const isListing = () => [...world.shelf.watches.values()][0]?.cursor.at === 'listing';
  await until('its next list breaks off', isListing);
  await first.stop();
  create(world.cluster, 'b');
  const other = await world.start(old);
  await until('the other one writes', () => world.rows().some(({ name }) => name === 'b'));
  await other.stop();
  expect(other.kinds()).not.toContain('woke-existing');
  await world.messages();

  now.isBroken = false;
  const last = await world.start(young);
  await until('it watches again', () => last.kinds().includes('watching'));
  const woken = (await world.messages()).filter((each) => each.function === 'look');
  expect(woken.map(({ body }) => JSON.parse(body).name)).toContain('b');
  const row = world.rows().find(({ name }) => name === 'b');
  expect(row?.keys.map(String).join()).toContain('name');
});
