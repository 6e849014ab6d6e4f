import { describe, expect, it } from 'vitest';
import { emulate } from '#infra/emulator/world/emulate.ts';
import type { Run, World } from '#infra/emulator/world/world.ts';
import { defineReconcile } from '#shared/define.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import { configMaps, pods } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import copyNote from '#test/fixtures/functions/copy-note.ts';
import { fileOf, note } from './mistakes.ts';

/** A world at rest in which a good function copies notes. */
async function noted(): Promise<World> {
  const world = await emulate({ functions: [copyNote], objects: saying('one', 'first') });
  await world.settle();
  return world;
}

function saying(name: string, text: string) {
  return { ...note(name), data: { note: text } };
}

/** The note changes, and the good function copies it all the same. */
async function survives(world: World, text = 'second'): Promise<void> {
  await world.apply(saying('one', text));
  await world.settle();
  expect(await copyOf(world)).toBe(text);
}

async function copyOf(world: World, name = 'one') {
  const found = await world.find(`ConfigMap notes/${name}`);
  return found?.metadata.annotations?.['samples.gatehouse.io/copied'];
}

function runsIn(world: World): readonly Run[] {
  return world.decisions().filter((each) => each.kind === 'run');
}

function trace(world: World, begun: readonly string[]): string {
  return world.story().slice(begun.length).join('\n');
}

describe('faults of the cluster', () => {
  it.each<[string, (world: World) => Promise<void>, RegExp]>([
    ['gone', (world) => world.gone('ConfigMap'), /watch-ended, expired.*\n.*listing/],
    ['dropWatches', (world) => world.dropWatches(), /watch-ended, closed/],
    ['halfOpen', (world) => world.halfOpen('configmaps'), /00:02:00.*watch-ended, idle/],
    ['fail on a watch', (world) => failingWatch(world), /waiting, TooManyRequests/],
    ['restartAll', (world) => world.restartAll(), /took-over/],
  ])('%s happens, and a good function survives it', async (_, turn, expected) => {
    await using world = await noted();
    const before = [...world.story()];
    await turn(world);
    await survives(world);
    expect(trace(world, before)).toMatch(expected);
  });

  async function failingWatch(world: World): Promise<void> {
    await world.fail({ verb: 'watch', code: 429 });
    await world.dropWatches();
  }

  it('gone is told of the kind that is named, and of none in another group with its plural', async () => {
    const of = { ...configMaps, group: 'samples.gatehouse.io' };
    const watching = (name: string, watched: typeof of) =>
      defineReconcile({
        ...{ name, capability: 'samples', uses: [], deadlineMs: 1_000 },
        trigger: { watch: { of: watched } },
        handler: async () => done,
      });
    const functions = [watching('see-ours', of), watching('see-theirs', configMaps)];
    await using world = await emulate({ functions });
    await world.settle();
    const before = [...world.story()];
    await world.gone('configmaps.samples.gatehouse.io');
    await world.settle();
    const ended = trace(world, before).match(/.*watch-ended.*/g);
    expect(ended).toEqual([expect.stringContaining('configmaps.samples.gatehouse.io')]);
  });

  it('compact lets a watch find that its place is forgotten', async () => {
    await using world = await noted();
    const before = [...world.story()];
    await world.halfOpen();
    await world.apply(saying('one', 'second'));
    await world.compact();
    await world.settle();
    expect(trace(world, before)).toMatch(/idle[\s\S]*listing/);
    expect(await copyOf(world)).toBe('second');
  });

  it('without compact the same watch goes on from its place, and lists nothing', async () => {
    await using world = await noted();
    const before = [...world.story()];
    await world.halfOpen();
    await survives(world);
    expect(trace(world, before)).not.toMatch(/listing/);
  });

  it('recreate gives the object another uid, and what stood in it before', async () => {
    await using world = await noted();
    const before = await world.find('ConfigMap notes/one');
    await world.recreate('ConfigMap notes/one');
    await world.settle();
    const after = await world.find('ConfigMap notes/one');
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(after?.['data']).toEqual({ note: 'first' });
    expect(runsIn(world).some(({ deleted }) => deleted)).toBe(true);
    expect(await copyOf(world)).toBe('first');
  });

  it('recreate refuses what is not there', async () => {
    await using world = await noted();
    await expect(world.recreate('ConfigMap notes/two')).rejects.toThrow(/apply it first/);
  });
});

describe('faults of requests', () => {
  it('fail refuses so many requests of that kind, and no others', async () => {
    await using world = await noted();
    await world.fail({ verb: 'patch', kind: 'ConfigMap', code: 500, times: 2 });
    await survives(world);
    const lost = runsIn(world).flatMap(({ writes }) =>
      writes.filter(({ result }) => result === 'lost'),
    );
    expect(lost).toHaveLength(2);
  });

  it('fail lets through what comes before', async () => {
    await using world = await noted();
    await world.fail({ code: 500, after: 1 });
    await world.apply([saying('one', 'second'), saying('two', 'second')]);
    await world.settle();
    const results = runsIn(world).flatMap(({ writes }) => writes.map(({ result }) => result));
    expect(results).toEqual(['written', 'written', 'lost', 'written']);
    expect(await copyOf(world, 'two')).toBe('second');
  });

  it('an answer that is lost is a write that was done', async () => {
    await using world = await noted();
    await world.fail({ code: 'lost' });
    await survives(world);
    const runs = runsIn(world).slice(2);
    expect(runs.map(({ outcome }) => outcome)).toContain('threw');
    expect(runs.flatMap(({ writes }) => writes.map(({ result }) => result))).toEqual(['lost']);
  });

  it('conflict makes the function run again at once', async () => {
    await using world = await noted();
    await world.conflict();
    await survives(world);
    const outcomes = runsIn(world).map(({ outcome }) => outcome);
    expect(outcomes.slice(2)).toEqual(['conflict', 'done', 'done']);
    expect(world.now().toISOString()).toBe('2030-01-01T00:00:00.000Z');
  });

  it('slow lets a later write overtake', async () => {
    await using world = await noted();
    await world.slow(2_000);
    await world.apply([saying('one', 'second'), saying('two', 'second')]);
    await world.settle();
    const ends = runsIn(world).filter(({ writes }) => writes.length > 0);
    expect(ends.map(({ object }) => object).slice(1)).toEqual([
      'ConfigMap notes/two',
      'ConfigMap notes/one',
    ]);
    expect(await copyOf(world)).toBe('second');
  });

  it('slower than its deadline, a run is ended and tried again', async () => {
    await using world = await noted();
    await world.slow(copyNote.deadlineMs + 1_000);
    await survives(world);
    expect(world.now().getTime()).toBeGreaterThan(Date.parse('2030-01-01T00:00:05Z'));
  });
});

describe('faults of the process and the queue', () => {
  it.each([
    ['again afterwards', false],
    ['both at once', true],
  ])('duplicate brings a message twice: %s', async (_, atOnce) => {
    await using world = await noted();
    await world.duplicate({ atOnce });
    await survives(world);
    expect(runsIn(world).slice(2).length).toBeGreaterThan(2);
  });

  it('reorderGroups works on the last object first', async () => {
    const order: string[] = [];
    const slowly = defineReconcile({
      ...copyNote,
      async handler(wake, ...given) {
        if (wake.kind === 'object') order.push(wake.name);
        return copyNote.handler(wake, ...given);
      },
    });
    const three = ['a', 'b', 'c'].map((name) => saying(name, 'first'));
    await using world = await emulate({ functions: [slowly] });
    await world.settle();
    // Their messages come in one batch.
    await world.staleMirror();
    await world.reorderGroups();
    await world.apply(three);
    await world.settle();
    expect(order.slice(0, 3)).toEqual(['c', 'b', 'a']);
    expect(await copyOf(world, 'c')).toBe('first');
  });

  it('coldStart lets the first run begin later, and the second not', async () => {
    await using world = await noted();
    await world.coldStart(45_000);
    await survives(world);
    expect(world.now().toISOString()).toBe('2030-01-01T00:00:45.000Z');
    await survives(world, 'third');
    expect(world.now().toISOString()).toBe('2030-01-01T00:00:45.000Z');
  });

  it('killAfterHandler leaves the message to come again, when nobody holds it any more', async () => {
    await using world = await noted();
    await world.killAfterHandler();
    await survives(world);
    const took = world.story().filter((line) => line.includes('took-over'));
    expect(took).toHaveLength(2);
    expect(runsIn(world).length).toBeGreaterThan(3);
    expect(world.now().getTime()).toBeGreaterThanOrEqual(Date.parse('2030-01-01T00:00:15Z'));
  });

  it('restartAll loads a function’s file anew: what it kept in memory is lost', async () => {
    const inRoom = note('one', 'hello', { room: 'blue' });
    const room = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'blue', namespace: 'rooms' },
    };
    const left = async (folder: '' | 'mended/') => {
      await using world = await emulate({
        functions: [fileOf('leave-room', folder)],
        objects: room,
      });
      await world.apply(inRoom);
      await world.settle();
      await world.restartAll();
      await world.settle();
      await world.delete('ConfigMap notes/one');
      await world.settle();
      const found = await world.find('ConfigMap rooms/blue');
      return Object.keys(isJsonObject(found?.['data']) ? found['data'] : {});
    };
    expect(await left('mended/')).toEqual([]);
    expect(await left('')).toHaveLength(1);
  });
});

describe('faults of the mirror and the clock', () => {
  const seen: string[] = [];
  const lookAround = defineReconcile({
    name: 'look-around',
    capability: 'samples',
    trigger: { watch: { of: pods } },
    reads: [configMaps],
    uses: ['mirror', 'clock'],
    deadlineMs: 5_000,
    async handler(_wake, { mirror, clock }) {
      const at = { namespace: 'notes', name: 'one' };
      const { object } = await mirror.find(configMaps, at);
      seen.push(`${object === undefined ? 'nothing' : 'a note'} at ${clock.now().toISOString()}`);
      return done;
    },
  });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'notes' } };

  it('staleMirror lets one kind’s news come before another’s', async () => {
    seen.length = 0;
    await using world = await emulate({ functions: [lookAround] });
    await world.settle();
    await world.staleMirror('ConfigMap');
    await world.apply([note('one'), pod]);
    await world.settle();
    await world.apply({ ...pod, spec: { nodeName: 'a' } });
    await world.settle();
    expect(seen).toEqual([
      'nothing at 2030-01-01T00:00:00.000Z',
      'a note at 2030-01-01T00:00:05.000Z',
    ]);
  });

  it('skewClock moves the functions’ clock, and no other', async () => {
    seen.length = 0;
    await using world = await emulate({ functions: [lookAround] });
    await world.skewClock(-90_000);
    await world.apply(pod);
    await world.settle();
    expect(seen).toEqual(['nothing at 2029-12-31T23:58:30.000Z']);
  });

  it('a good function survives both', async () => {
    await using world = await noted();
    await world.staleMirror();
    await world.skewClock();
    await survives(world);
  });
});
