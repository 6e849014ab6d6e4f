import type { Sql } from 'postgres';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { planner } from '#events/postgres-queue/connection.ts';
import { senderOn } from '#events/postgres-queue/send.ts';
import type { Outgoing } from '#events/queue.ts';
import type { FakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import { storeOn } from '#shared/adapters/database/store.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Watching } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, until } from '#test/support/forwarding.ts';
import { freshDatabase } from '#test/support/postgres.ts';

/** A forwarder before a database that refuses what no database takes, with the very queue of production in it. */
export type Place = Pick<Forwarding, 'cluster' | 'start'> & {
  /** Of those that live, as the mirror has them. */
  names(): Promise<readonly string[]>;
  /** The bodies of what waits. */
  woken(): Promise<readonly { readonly name: string; readonly deleted: boolean }[]>;
};

export type Started = Awaited<ReturnType<Place['start']>>;

type Open = (streamOver?: (stream: Stream) => Stream) => Promise<Place>;

export const inMemory: Open = async (streamOver = (stream) => stream) => {
  const world = await forwarding({ streamOver });
  onTestFinished(world.close);
  const { cluster, start, rows, messages } = world;
  const living = () => rows().filter(({ isDeleted }) => !isDeleted);
  return {
    ...{ cluster, start },
    names: async () => living().map(({ name }) => name),
    woken: async () => (await messages()).map(({ body }) => JSON.parse(body)),
  };
};

/** Each case at each place. To be called once a file: the database is one for all of its cases, emptied before each. */
export function everyPlace() {
  const database = openDatabase();
  const onPostgres: Open = async (streamOver = (stream) => stream) =>
    placeOn(await database, streamOver);
  // The server may have to be started, on a machine that does other things.
  beforeAll(async () => void (await database), 30_000);
  afterAll(async () => (await database).end());
  const places: readonly (readonly [where: string, open: Open])[] = [
    ['in memory', inMemory],
    ['on Postgres', onPostgres],
  ];
  return <T extends readonly unknown[]>(
    cases: readonly T[],
  ): readonly (readonly [string, ...T, Open])[] =>
    places.flatMap(([where, open]) => cases.map((each) => [where, ...each, open] as const));
}

async function openDatabase(): Promise<Sql> {
  const { url } = await freshDatabase();
  return postgres(url, { max: 4, onnotice: () => undefined, connection: planner });
}

async function placeOn(sql: Sql, streamOver: (stream: Stream) => Stream): Promise<Place> {
  await sql`truncate clusters, watches, backfills, objects, queue_groups, queue_messages`;
  const store = storeOn<Outgoing>(sql, { cluster: 'default', sender: senderOn });
  const { cluster, start, close } = await forwarding({ streamOver, store });
  onTestFinished(close);
  return {
    ...{ cluster, start },
    names: async () => {
      const rows = await sql<{ name: string }[]>`
        select name from objects where deleted_at is null order by name`;
      return rows.map(({ name }) => name);
    },
    woken: async () => {
      const taken = await sql<{ body: string }[]>`delete from queue_messages returning body`;
      return taken.map(({ body }) => JSON.parse(body));
    },
  };
}

/** What a server says of the one called `odd`, where its odd time has come. */
export type Oddity = { isOdd: boolean; readonly of: (object: KubeObject) => KubeObject };

/** It has a list of pages alone, or streams. */
export function saying(oddity: Oddity, how: 'pages' | 'stream') {
  const said = (object: KubeObject): KubeObject =>
    oddity.isOdd && object.metadata.name === 'odd' ? oddity.of(object) : object;
  return (stream: Stream): Stream => ({
    ...stream,
    async list(scope, options) {
      const page = await stream.list(scope, options);
      return page.kind === 'page' ? { ...page, objects: page.objects.map(said) } : page;
    },
    async watch(scope, options) {
      if (how === 'pages' && options.resourceVersion === undefined) {
        return { kind: 'unsupported', why: 'older' };
      }
      const watching = await stream.watch(scope, options);
      return watching.kind === 'open' ? oddly(watching, said) : watching;
    },
    async find(scope, at, signal) {
      const found = await stream.find(scope, at, signal);
      return found.kind === 'found' ? { ...found, object: said(found.object) } : found;
    },
  });
}

function oddly(watching: Watching, said: (object: KubeObject) => KubeObject): Watching {
  return {
    ...watching,
    async next() {
      const lines = await watching.next();
      if (!('map' in lines)) return lines;
      return lines.map((line) =>
        line.kind === 'change' ? { ...line, object: said(line.object) } : line,
      );
    },
  };
}

export function create(
  { objects }: FakeCluster,
  name: string,
  rest: JsonObject = {},
  metadata: JsonObject = {},
): void {
  objects.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, ...metadata },
    spec: {},
    ...rest,
  });
}

export const mirrored = (place: Place, name: string) =>
  until(`${name} is mirrored`, async () => (await place.names()).includes(name));
