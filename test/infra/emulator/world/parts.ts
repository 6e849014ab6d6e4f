import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EmulateOptions, Run, World } from '#infra/emulator/world/world.ts';
import { defineAdmission, defineReconcile } from '#shared/define.ts';
import { anything } from '#shared/domain/decode.ts';
import { configMaps as kind } from '#shared/domain/kind.ts';
import { conflict, done, giveUp, later } from '#shared/domain/outcome.ts';
import { allow, deny } from '#shared/domain/verdict.ts';
import { note } from './mistakes.ts';

export type Emulating = (options: EmulateOptions) => Promise<World>;

const stamp = 'samples.gatehouse.io/text';

/** Copies a note's text into an annotation; three names ask for something else. */
const stampText = defineReconcile({
  name: 'stamp-text',
  capability: 'samples',
  trigger: { watch: { of: kind, namespace: 'notes' } },
  uses: ['cluster', 'mirror'],
  access: [{ kind, verbs: ['get', 'patch'] }],
  deadlineMs: 5_000,
  async handler(wake, { cluster, mirror }) {
    if (wake.kind === 'period' || wake.deleted) return done;
    if (wake.name === 'bad') return giveUp('it is bad');
    const target = { kind, namespace: wake.namespace, name: wake.name };
    const { object: seen } = await mirror.find(kind, target);
    const found = await cluster.find(target);
    if (found?.metadata.uid !== wake.uid || seen === undefined) return done;

    const text = JSON.stringify(found['data']);
    const { resourceVersion, annotations = {} } = found.metadata;
    if (annotations[stamp] === text) return done;
    const body = { metadata: { annotations: { [stamp]: text } } };
    const write = await cluster.patch(target, { type: 'merge', body }, { resourceVersion });
    return write.kind === 'written' ? done : conflict('somebody wrote first');
  },
});

const beat = defineReconcile({
  name: 'beat',
  capability: 'samples',
  trigger: { everySeconds: 600 },
  uses: ['clock', 'conditions'],
  deadlineMs: 5_000,
  handler(_wake, { clock, conditions }) {
    conditions.report({ name: 'beat', holds: true, why: clock.now().toISOString() });
    return done;
  },
});

const forbidBad = defineAdmission({
  name: 'forbid-bad',
  capability: 'samples',
  phase: 'validate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: anything,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'deny',
  handler: ({ name }) => (name === 'bad' ? deny('bad is no name') : allow('a fine name')),
});

function runsOf(world: World, name: string): readonly Run[] {
  const runs = world.decisions().filter((each) => each.kind === 'run');
  return runs.filter(({ object }) => object === `ConfigMap notes/${name}`);
}

async function stampOf(world: World, name: string) {
  const found = await world.find(`ConfigMap notes/${name}`);
  return found?.metadata.annotations?.[stamp];
}

/** What a world promises, whatever parts it is made of. One world for all cases: each has a note of its own. */
export function worldContract(open: Emulating): void {
  const opened = Promise.withResolvers<World>();
  const inWorld = () => opened.promise;
  beforeAll(async () => {
    const functions = [stampText, beat, forbidBad];
    opened.resolve(open({ functions, objects: note('first', 'there') }));
    await inWorld();
  }, 60_000);
  afterAll(async () => (await inWorld()).close());

  const survives = async (name: string, turn: (world: World) => Promise<void>) => {
    const world = await inWorld();
    await world.apply(note(name, 'one'));
    await world.settle();
    const before = runsOf(world, name).length;
    await turn(world);
    await world.apply(note(name, 'two'));
    await world.settle();
    expect(await stampOf(world, name)).toBe('{"text":"two"}');
    return { world, runs: runsOf(world, name).slice(before) };
  };

  it('runs on what is there, and tells what was written', async () => {
    const world = await inWorld();
    await world.settle();
    expect(await stampOf(world, 'first')).toBe('{"text":"there"}');
    expect(runsOf(world, 'first')[0]).toMatchObject({
      function: 'stamp-text',
      outcome: 'done',
      writes: [{ verb: 'patch', object: 'ConfigMap notes/first', result: 'written' }],
    });
  });

  it('tells a deletion from a change', async () => {
    const world = await inWorld();
    await world.apply(note('short', 'lived'));
    await world.settle();
    expect(await world.delete('ConfigMap notes/short')).toBe(true);
    await world.settle();
    expect(runsOf(world, 'short').at(-1)).toMatchObject({ deleted: true, outcome: 'done' });
    expect(await world.find('ConfigMap notes/short')).toBeUndefined();
  });

  it('answers so many writes by a conflict, after which the function runs again', async () => {
    const { runs } = await survives('conflicting', (world) => world.conflict());
    expect(runs.slice(0, 2).map(({ outcome }) => outcome)).toEqual(['conflict', 'done']);
  });

  it('refuses so many requests, and loses an answer', async () => {
    const { runs } = await survives('refused', (world) => world.fail({ code: 500 }));
    expect(runs[0]).toMatchObject({ outcome: 'threw', writes: [{ result: 'lost' }] });
    const lost = await survives('lost', (world) => world.fail({ code: 'lost' }));
    expect(lost.runs.flatMap(({ writes }) => writes)).toHaveLength(1);
  });

  it.each([false, true])('brings a message twice (at once: %s)', async (atOnce) => {
    const { runs } = await survives(`twice-${atOnce}`, (world) => world.duplicate({ atOnce }));
    expect(runs.length).toBeGreaterThan(1);
  });

  it.each<[string, (world: World) => Promise<void>]>([
    ['gone', (world) => world.gone('ConfigMap')],
    ['dropWatches', (world) => world.dropWatches()],
    ['halfOpen', (world) => world.halfOpen('ConfigMap')],
    ['compact', (world) => world.compact()],
    ['slow', (world) => world.slow(50)],
    ['coldStart', (world) => world.coldStart(50)],
    ['skewClock', (world) => world.skewClock(1_000)],
    ['restartAll', (world) => world.restartAll()],
    ['staleMirror', (world) => world.staleMirror('ConfigMap', 300)],
    ['reorderGroups', (world) => world.reorderGroups()],
  ])('goes on after %s', async (name, turn) => {
    await survives(name.toLowerCase(), turn);
  });

  it('makes an object anew under another uid', async () => {
    const world = await inWorld();
    const before = await world.apply(note('anew', 'same'));
    await world.settle();
    await world.recreate('ConfigMap notes/anew');
    await world.settle();
    const after = await world.find('ConfigMap notes/anew');
    expect(after?.metadata.uid).not.toBe(before.metadata.uid);
    expect(await stampOf(world, 'anew')).toBe('{"text":"same"}');
    expect(runsOf(world, 'anew').some(({ deleted }) => deleted)).toBe(true);
  });

  it('lets time pass without waiting for it', async () => {
    const world = await inWorld();
    await world.settle();
    const beats = () => world.decisions().filter((each) => each.function === 'beat').length;
    const [before, from] = [beats(), world.now().getTime()];
    await world.advance(1_800_000);
    expect(beats() - before).toBe(3);
    expect(world.now().getTime() - from).toBeGreaterThanOrEqual(1_800_000);
    const [condition] = world.reports().conditions;
    expect(Date.parse(condition?.why ?? '')).toBeGreaterThan(from);
  });

  it('keeps what was given up', async () => {
    const world = await inWorld();
    await world.apply(note('bad'));
    await world.settle();
    expect(await world.buried()).toMatchObject([{ function: 'stamp-text', why: 'it is bad' }]);
  });

  it('asks the admission functions, and stands in front of what is applied', async () => {
    const world = await inWorld();
    const pod = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'notes' },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    });
    expect(await world.admit(pod('good'))).toMatchObject({
      verdict: 'allow',
      warnings: ['a fine name'],
    });
    await expect(world.apply(pod('bad'))).rejects.toThrow(
      'Pod notes/bad is denied: bad is no name',
    );
    expect(await world.find('Pod notes/bad')).toBeUndefined();
  });

  it('says what does not come to rest', async () => {
    const world = await open({
      functions: [defineReconcile({ ...stampText, handler: () => later(1) })],
      objects: note('restless'),
    });
    try {
      await expect(world.settle()).rejects.toThrow(/does not settle:[\s\S]*notes\/restless/);
    } finally {
      await world.close();
    }
  });
}
