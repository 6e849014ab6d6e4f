import { afterEach, expect, it } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { furthest } from '#events/forwarder/versions.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Line, Watching } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

let open: Forwarding | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function begin(streamOver = (stream: Stream): Stream => stream): Promise<Forwarding> {
  open = await forwarding({ streamOver });
  create(open, 'a');
  return open;
}

function create({ cluster }: Forwarding, name: string): void {
  const metadata = { name, namespace: 'default' };
  cluster.objects.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata });
}

const everyPod = [subscribed({ of: pods })];

async function mirrored(world: Forwarding, ...names: readonly string[]): Promise<void> {
  const alive = () => world.rows().filter(({ isDeleted }) => !isDeleted);
  const held = () => alive().map(({ name }) => name);
  await until(`it holds ${names}`, () => held().toSorted().join() === names.join());
}

async function watching(of: { kinds(): readonly string[] }): Promise<void> {
  await until('it watches', () => of.kinds().includes('watching'));
}

it('a cursor that the server takes for no version is answered with a list', async () => {
  const world = await begin();
  const one = await world.start(everyPod);
  await watching(one);
  await one.stop();
  for (const [key, watch] of world.shelf.watches) {
    const cursor = { ...watch.cursor, at: { resourceVersion: 'rev-17' } };
    world.shelf.watches.set(key, { ...watch, cursor });
  }
  create(world, 'b');
  const two = await world.start(everyPod);
  await mirrored(world, 'a', 'b');
  await watching(two);
  expect(two.kinds()).toContain('listed');
});

/** Says a bookmark with this version behind the first lines, then breaks; the next watch waits for `reopen`. */
function breaking(version: string) {
  const { promise: reopened, resolve: reopen } = Promise.withResolvers<void>();
  const broken = { is: false };
  const streamOver = (stream: Stream): Stream => ({
    ...stream,
    async watch(scope, options) {
      if (broken.is) await reopened;
      const opened = await stream.watch(scope, options);
      if (opened.kind !== 'open' || broken.is || options.resourceVersion === undefined)
        return opened;
      const bookmark: Line = { kind: 'bookmark', resourceVersion: version, isInitialEnd: false };
      const next = async () => {
        if (!broken.is) {
          broken.is = true;
          return [bookmark];
        }
        opened.close();
        return { kind: 'cut' as const, why: 'reset' };
      };
      return { ...opened, next };
    },
  });
  return { streamOver, reopen };
}

it.each(['0', ''])(
  'a bookmark that says "%s" takes the cursor nowhere: what is deleted before the next watch is told',
  async (version) => {
    const { streamOver, reopen } = breaking(version);
    const world = await begin(streamOver);
    create(world, 'b');
    const before = await world.start(everyPod);
    await mirrored(world, 'a', 'b');
    await watching(before);
    await before.stop();
    const after = await world.start(everyPod);
    await until('it breaks', () => after.kinds().includes('watch-ended'));
    world.cluster.objects.delete(pods, { namespace: 'default', name: 'a' });
    reopen();
    await mirrored(world, 'b');
  },
);

it.each(['0', ''])('of a list that says "%s" comes another list, and no watch', async (version) => {
  const world = await begin((stream) => ({
    ...stream,
    async list(scope, options) {
      const page = await stream.list(scope, options);
      return page.kind === 'page' ? { ...page, resourceVersion: version } : page;
    },
    watch: async (scope, options) =>
      options.resourceVersion === undefined
        ? { kind: 'unsupported', why: 'it has no watches that begin with a list' }
        : stream.watch(scope, options),
  }));
  const one = await world.start(everyPod);
  await mirrored(world, 'a');
  create(world, 'b');
  await mirrored(world, 'a', 'b');
  world.cluster.objects.delete(pods, { namespace: 'default', name: 'a' });
  await mirrored(world, 'b');
  expect(one.kinds()).not.toContain('watching');
});

it.each([
  ['the later one', '7', '9', '9'],
  ['what is there, of an earlier one', '9', '7', '9'],
  ['what is there, of none', '9', undefined, '9'],
  ['what is there, of one that is no version', '9', '0', '9'],
  ['what was said last, of two that cannot be compared', 'rev-17', 'rev-2', 'rev-2'],
  ['what is said first', undefined, '7', '7'],
])('how far both reach is %s', (_, at, said, reached) => {
  expect(furthest(at, said)).toBe(reached);
});

it('pages that are each true for a version of their own are gone on from with that of the first', async () => {
  let changed = 0;
  const world = await begin((stream) => ({
    ...stream,
    async list(scope, options) {
      const page = await stream.list(scope, options);
      if (page.kind !== 'page' || options.continue === undefined) return page;
      changed += 1;
      const metadata = { labels: { changed: `${changed}` } };
      world.cluster.objects.patch(pods, { namespace: 'default', name: 'a' }, { metadata });
      const now = await stream.list(scope, { limit: 1, signal: options.signal });
      return now.kind === 'page' ? { ...page, resourceVersion: now.resourceVersion } : now;
    },
    watch: async (scope, options) =>
      options.resourceVersion === undefined
        ? { kind: 'unsupported', why: 'it has no watches that begin with a list' }
        : stream.watch(scope, options),
  }));
  create(world, 'b');
  create(world, 'c');
  await world.start(everyPod, { pageLimit: 1 });
  const labels = () => world.rows().find(({ name }) => name === 'a')?.object.metadata.labels;
  await until('the change is told', () => labels()?.['changed'] === '2');
});

/** One after another, also those that came together. */
function oneByOne(watching: Watching): Watching {
  let waiting: readonly Line[] = [];
  return {
    ...watching,
    async next() {
      const lines = waiting.length > 0 ? waiting : await watching.next();
      if (!Array.isArray(lines)) return lines;
      waiting = lines.slice(1);
      return lines.slice(0, 1);
    },
  };
}

it('an audit by pages that are each true for a version of their own suspects nobody who changes between them', async () => {
  let changed = 0;
  const patch = (name: string) => {
    changed += 1;
    const metadata = { labels: { changed: `${changed}` } };
    open?.cluster.objects.patch(pods, { namespace: 'default', name }, { metadata });
  };
  const world = await begin((stream) => ({
    ...stream,
    async list(scope, options) {
      const page = await stream.list(scope, options);
      if (page.kind !== 'page' || options.continue === undefined) return page;
      // Who was on the page before it, and then who is on this one.
      for (const name of ['a', 'b']) patch(name);
      const now = await stream.list(scope, { limit: 2, signal: options.signal });
      if (now.kind !== 'page') return now;
      return { ...page, objects: now.objects.slice(1), resourceVersion: now.resourceVersion };
    },
    async watch(scope, options) {
      const opened = await stream.watch(scope, options);
      return opened.kind === 'open' ? oneByOne(opened) : opened;
    },
  }));
  create(world, 'b');
  const one = await world.start(everyPod, { pageLimit: 1, auditMs: 5 });
  const audits = () => one.kinds().filter((kind) => kind === 'audited').length;
  await until('five audits', () => audits() >= 5);
  expect(changed).toBeGreaterThanOrEqual(10);
  expect(one.kinds()).not.toContain('new-epoch');
  expect(one.kinds()).not.toContain('lost');
});
