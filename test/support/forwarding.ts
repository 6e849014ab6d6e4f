import { type Followed, followedFrom, type Subscription } from '#events/forwarder/followed.ts';
import { openForwarder } from '#events/forwarder/forwarder.ts';
import type { Store, Stream } from '#events/forwarder/ports.ts';
import type { Told } from '#events/forwarder/told.ts';
import { type Pace, usualPace } from '#events/forwarder/world.ts';
import type { Delivery } from '#events/queue.ts';
import { type FakeCluster, fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { type MirrorShelf, mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { type QueueInMemory, queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openStream, type StreamOptions } from '#shared/adapters/cluster/stream.ts';
import type { Row } from '#shared/domain/mirrored.ts';
import type { Watch } from '#shared/domain/watch.ts';
import { pause } from '#shared/runtime/pause.ts';

/** Everything that is waited for, in moments. */
export const hastily: Pace = {
  ...usualPace,
  leaseMs: 300,
  firstBackoffMs: 5,
  maxBackoffMs: 50,
  idleMs: 400,
  restoredMs: 60,
  absentMs: 20,
};

/** A forwarder between a fake cluster over HTTP and a database in memory. */
export type Forwarding = Awaited<ReturnType<typeof forwarding>>;

type Given = {
  readonly cluster?: FakeCluster;
  /** What a cluster of another kind answers in its place. */
  readonly streamOver?: (stream: Stream) => Stream;
  readonly limits?: Limits;
  /** In place of the one in memory; its rows and messages are then asked for there. */
  readonly store?: Store;
};

type Limits = Omit<StreamOptions, 'session'>;

export async function forwarding(given: Given = {}) {
  const { streamOver = (stream) => stream, limits = {}, store } = given;
  const cluster = given.cluster ?? (await fakeCluster({ bookmarkMs: 50 }));
  const shelf = mirrorShelf();
  const queue = queueInMemory({ now: Date.now, after: () => () => undefined });
  const running: { isAlive(): boolean; stop(): Promise<void> }[] = [];
  return {
    cluster,
    shelf,
    queue,
    /** One process of it. */
    async start(subscriptions: readonly Subscription[], changes: Partial<Pace> = {}) {
      const started = await startOne(
        { cluster, shelf, queue, streamOver, limits, store },
        { ...hastily, ...changes },
      );
      running.push(started);
      await started.follow(subscriptions);
      return started;
    },
    rows: () => rowsOf(shelf),
    messages: () => drained(queue),
    async close() {
      await Promise.all(running.filter((each) => each.isAlive()).map((each) => each.stop()));
      await cluster.close();
    },
  };
}

type Parts = {
  readonly cluster: FakeCluster;
  readonly shelf: MirrorShelf;
  readonly queue: QueueInMemory;
  readonly streamOver: (stream: Stream) => Stream;
  readonly limits: Limits;
  readonly store: Store | undefined;
};

let holders = 0;

async function startOne(parts: Parts, pace: Pace) {
  const { cluster, shelf, queue, streamOver, limits } = parts;
  const session = await openSession({ kind: 'kubeconfig-text', text: cluster.kubeconfig });
  const told: Told[] = [];
  const inMemory = storeInMemory({ shelf, cluster: 'default', now: Date.now, open: queue.open });
  const life = { isOver: false };
  holders += 1;
  const forwarder = openForwarder({
    cluster: 'default',
    stream: mortal(streamOver(openStream({ session, maxLineBytes: 64 * 1024, ...limits })), life),
    store: mortal(parts.store ?? inMemory, life),
    holder: `holder-${holders}`,
    pace,
    now: Date.now,
    random: Math.random,
    pause,
    tell: (each) => told.push(each),
  });
  return {
    told,
    kinds: () => told.map(({ kind }) => kind),
    follow: (subscriptions: readonly Subscription[]) => forwarder.set(followedFrom(subscriptions)),
    followAll: (followed: readonly Followed[]) => forwarder.set(followed),
    /** As a process that is killed: nothing is given back, and nothing goes on. */
    kill() {
      life.isOver = true;
      inMemory.disconnect();
    },
    isAlive: () => !life.isOver,
    async stop() {
      await forwarder.stop();
      session.close();
    },
  };
}

/** Whatever a dead one asks is never answered. */
function mortal<T extends object>(ports: T, life: { readonly isOver: boolean }): T {
  const never = new Promise<never>(() => undefined);
  const wrapped = Object.entries(ports).map(([name, call]) => [
    name,
    async (...given: readonly unknown[]) => {
      const answer = life.isOver ? never : await call(...given);
      return life.isOver ? never : answer;
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}

function rowsOf(shelf: MirrorShelf): readonly Row[] {
  return [...shelf.rows.values()].map(({ row }) => row);
}

/** What waits, as the function and what its message says. */
async function drained(queue: QueueInMemory): Promise<readonly Delivery[]> {
  const functions = (await queue.depth()).map((each) => each.function);
  const all: Delivery[] = [];
  for (;;) {
    const some = await queue.receive({ functions, max: 10, visibilityMs: 60_000, waitMs: 0 });
    if (some.length === 0) return all;
    await queue.settle(some.map(({ receipt }) => receipt));
    all.push(...some);
  }
}

export function subscribed(watch: Watch, name = 'look'): Subscription {
  return { function: name, watch };
}

/** Until it holds; a test that waits for too long says for what. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 3_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`never came about: ${what}`);
    await pause(2);
  }
}
