import type { Command } from 'commander';
import type { World } from './output.ts';

/** As the settings call it, or those of the dev that is looked into. */
export async function clusterNamed(
  program: Command,
  { environment }: World,
  state: string | undefined,
): Promise<string> {
  const [{ settingsFrom }, { clusterLookedInto }] = await Promise.all([
    import('./config.ts'),
    import('./state.ts'),
  ]);
  const file = program.opts<{ config?: string }>().config ?? environment.configFile;
  const there = file === undefined ? await clusterLookedInto(environment, state) : undefined;
  return there ?? settingsFrom(file).installation.cluster;
}

/** Those that have a queue on SQS. */
export async function reconcilers(
  program: Command,
  world: World,
  state: string | undefined,
): Promise<readonly string[]> {
  const definitions = await definitionsThere(program, world, state);
  return definitions.filter(({ shape }) => shape === 'reconcile').map(({ name }) => name);
}

export function functionsFolder(program: Command, { environment }: World): string | undefined {
  return program.opts<{ functions?: string }>().functions ?? environment.functionsFolder;
}

export async function loaded(program: Command, world: World) {
  return loadedFrom(functionsFolder(program, world), program, world);
}

/** Of a verb that looks into the state of a dev: with those that it was started with, unless others are named. */
export async function definitionsThere(program: Command, world: World, state: string | undefined) {
  const { functionsLookedInto } = await import('./state.ts');
  const folder =
    functionsFolder(program, world) ?? (await functionsLookedInto(world.environment, state));
  return (await loadedFrom(folder, program, world)).registry.definitions;
}

async function loadedFrom(folder: string | undefined, program: Command, world: World) {
  const { load } = await import('./load.ts');
  const { config } = program.opts<{ config?: string }>();
  return load({ configFile: config ?? world.environment.configFile, functionsFolder: folder });
}
