import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type FakeCluster, fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { postgres } from '#shared/adapters/database/postgres-js.ts';
import type { Json, JsonObject } from '#shared/domain/json.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { freshDatabase } from '#test/support/postgres.ts';
import { until } from '#test/support/until.ts';
import { heapAsDeployed } from './large/as-deployed.ts';

const mebibyte = 1024 * 1024;
const patienceMs = 30_000;

const text = (bytes: number): JsonObject => ({ text: 'x'.repeat(bytes) });
/** As a schema or a report is: of many small things. */
const lines = (bytes: number): JsonObject => ({
  lines: Array.from({ length: bytes / 120 }, (_, at) => ({
    name: `name-${at}`,
    type: 'string',
    description: `what ${at} is for`,
    nested: { required: true, at },
  })),
});

const many =
  (part: (at: number) => Json, each: number) =>
  (bytes: number): JsonObject => ({
    many: Array.from({ length: bytes / each }, (_, at) => part(at)),
  });
const empties = many(() => ({}), 3);
const pairs = many((at) => ({ [at.toString(36)]: 1 }), 11);

function put({ objects }: FakeCluster, name: string, data: JsonObject): void {
  const at = { namespace: 'default', name };
  if (objects.find(configMaps, at) === undefined) {
    objects.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: at, data });
  } else objects.patch(configMaps, at, { data });
}

/** A cluster, and a forwarder of it with the heap that a Deployment gives. */
async function begin(how: 'by pages' | 'as a stream', data: Readonly<Record<string, JsonObject>>) {
  const cluster = await fakeCluster({ bookmarkMs: 200 });
  onTestFinished(cluster.close);
  for (const [name, each] of Object.entries(data)) put(cluster, name, each);
  const { url, drop } = await freshDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const child = fork(
    join(import.meta.dirname, 'large/following.ts'),
    [url, cluster.kubeconfig, how],
    { execArgv: heapAsDeployed },
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await sql.end();
    await drop();
  });
  const told: string[] = [];
  child.on('message', (kind) => told.push(String(kind)));
  const wait = (holds: () => boolean | Promise<boolean>) =>
    until(async () => (await holds()) || isOver(child), patienceMs);
  const names = async () =>
    (await sql<{ name: string }[]>`select name from objects`).map(({ name }) => name);
  await wait(() => told.includes('watching'));
  return { cluster, names, wait, told, isAlive: () => !isOver(child) };
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

it.each([
  ['4 MB of text is mirrored', text, 3.9, true],
  ['4 MB of small things is mirrored', lines, 3.9, true],
  ['half a MB of {} is mirrored', empties, 0.49, true],
  ['1.4 MB of {} is passed over', empties, 1.4, false],
  ['0.9 MB of objects of one new field each is mirrored', pairs, 0.9, true],
  ['1.4 MB of objects of one new field each is passed over', pairs, 1.4, false],
  ['8 MB is passed over', text, 7.9, false],
  ['30 MB is passed over', text, 30, false],
])('an object of %s, and a deployed forwarder lives', async (_, make, size, isMirrored) => {
  const large = make(size * mebibyte);
  const world = await begin('as a stream', { a: text(10), large, z: text(10) });
  put(world.cluster, 'large', { ...large, more: 'x' });
  put(world.cluster, 'last', text(10));
  await world.wait(async () => (await world.names()).includes('last'));
  expect(world.isAlive()).toBe(true);
  expect((await world.names()).includes('large')).toBe(isMirrored);
});

it('a first page of large objects is asked for again with fewer, and a deployed forwarder lives', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `c${at}`);
  const data = Object.fromEntries(names.map((name) => [name, lines(0.25 * mebibyte)]));
  const world = await begin('by pages', data);
  expect(world.isAlive()).toBe(true);
  expect((await world.names()).toSorted()).toEqual(names.toSorted());
});

it('a page of more small parts than the heap has room for is asked for again with fewer', async () => {
  const names = Array.from({ length: 32 }, (_, at) => `c${at}`);
  const data = Object.fromEntries(names.map((name) => [name, empties(60_000)]));
  const world = await begin('by pages', data);
  expect(world.isAlive()).toBe(true);
  expect((await world.names()).toSorted()).toEqual(names.toSorted());
});

it.each(['as a stream', 'by pages'] as const)(
  'of many that were large and became small at once, as they came %s, a deployed forwarder lives',
  async (how) => {
    const names = Array.from({ length: 400 }, (_, at) => `c${at}`);
    const large = text(150 * 1024);
    const world = await begin(how, Object.fromEntries(names.map((name) => [name, large])));
    expect(world.isAlive()).toBe(true);
    for (const name of names) put(world.cluster, name, text(10));
    put(world.cluster, 'last', text(10));
    await world.wait(async () => (await world.names()).includes('last'));
    expect(world.isAlive()).toBe(true);
  },
);
