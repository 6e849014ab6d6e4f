import { type Definition, type ReconcileTrigger, watchesOf } from '#shared/define.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { applyFault } from '../faults/apply-fault.ts';
import { knownKinds } from '../known-kinds.ts';
import { memoryWorld } from '../memory/memory-world.ts';
import { placeOf, wordsFor } from '../ref.ts';
import { definitionsOf } from '../sources.ts';
import type { World } from '../world.ts';
import { type EndState, endStateOf } from './end-state.ts';
import type { Facts } from './matrix.ts';
import type { Case, Scenario } from './scenario.ts';

export type Played = { readonly end: EndState; readonly facts: Facts };

/** From the first step to the end; throws where the world does not come to rest. */
export async function play(scenario: Scenario, given: Case): Promise<Played> {
  const { steps, compare = allButEvents, ...options } = scenario;
  await using world = await memoryWorld(options);
  const from = world.now();
  const notes = openNotes(world);
  await world.settle();
  await notes.take();
  for (const [place, act] of Object.values(steps).entries()) {
    await turn(world, given, place);
    await act(world);
    if (!given.isHurried || place < given.place) await world.settle();
    await notes.take();
  }
  await turn(world, given, Object.keys(steps).length);
  await world.settle();
  const definitions = await definitionsOf(scenario.functions, { anew: false });
  await onceMore(world, definitions);
  const facts = { ...notes.facts(), steps: Object.keys(steps).length, kinds: kindsOf(definitions) };
  return { end: await endStateOf(world, { from, compare }), facts };
}

/** What the settings say is not known here: the trigger's own word stands for it. */
function secondsOf({ everySeconds = 0 }: ReconcileTrigger): number {
  return typeof everySeconds === 'object' ? everySeconds.fallback : everySeconds;
}

/** An Event is history: how often something happened is no state. */
function allButEvents(object: KubeObject): KubeObject | undefined {
  return object.kind === 'Event' ? undefined : object;
}

/** What comes again and again mends what it finds: its next time counts as well. */
async function onceMore(world: World, definitions: readonly Definition[]): Promise<void> {
  const periods = definitions.map((each) =>
    each.shape === 'reconcile' ? secondsOf(each.trigger) : 0,
  );
  const longest = Math.max(0, ...periods);
  if (longest === 0) return;
  await world.advance(longest * 1_000);
  await world.settle();
}

async function turn(world: World, { faults, place }: Case, at: number): Promise<void> {
  if (place !== at) return;
  for (const fault of faults) await applyFault(world, fault);
}

/** What a matrix is made from, taken after each step. */
function openNotes(world: World) {
  const writes: number[] = [];
  const objects: (readonly string[])[] = [];
  return {
    async take() {
      const all = world.decisions().flatMap((each) => (each.kind === 'run' ? each.writes : []));
      writes.push(all.length - writes.reduce((sum, each) => sum + each, 0));
      objects.push(await remakable(world));
    },
    facts: () => ({ writes, objects }),
  };
}

/** What woke a function, and was made by the scenario: made anew by nobody else, it comes back as it was stated. */
async function remakable(world: World): Promise<readonly string[]> {
  const runs = world.decisions().filter((each) => each.kind === 'run');
  const woke = new Set(runs.map(({ object }) => object));
  const made = new Set(
    runs.flatMap(({ writes }) => writes.map(({ verb, object }) => `${verb} ${object}`)),
  );
  const kinds = knownKinds([]);
  return (await world.objects())
    .filter(({ kind, metadata }) => kind !== 'Namespace' && metadata['finalizers'] === undefined)
    .map((object) => wordsFor(placeOf(object, kinds)))
    .filter((ref) => woke.has(ref) && !made.has(`create ${ref}`) && !made.has(`apply ${ref}`));
}

function kindsOf(definitions: readonly Definition[]): readonly string[] {
  const read = definitions.flatMap((each) => [
    ...(each.shape === 'reconcile' ? watchesOf(each.trigger).map(({ of }) => of) : []),
    ...(each.reads ?? []),
  ]);
  return [...new Set(read.map(({ kind }) => kind))];
}
