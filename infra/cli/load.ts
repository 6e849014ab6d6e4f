import type { Settings } from '#shared/domain/settings.ts';
import { type FunctionProblem, openRegistry, type Registry } from '#shared/runtime/registry.ts';
import { loadFunctions } from '../functions.ts';
import { settingsFrom } from './config.ts';
import { trouble } from './output.ts';

export type Loaded = { readonly registry: Registry; readonly settings: Settings };

export type Places = {
  readonly configFile: string | undefined;
  /** A folder of the user's own functions. */
  readonly functionsFolder: string | undefined;
};

/** What the verbs about functions stand on: all definitions, and the settings. */
export async function load({ configFile, functionsFolder }: Places): Promise<Loaded> {
  const settings = settingsFrom(configFile);
  return { settings, registry: await loadRegistry(functionsFolder) };
}

export async function loadRegistry(directory: string | undefined): Promise<Registry> {
  const loaded = await loadFunctions({ builtIn: true, directory });
  if (!loaded.ok) throw unusable(loaded.problems);

  const registered = openRegistry(loaded.found);
  if (!registered.ok) throw unusable(registered.problems);
  return registered.registry;
}

function unusable(problems: readonly FunctionProblem[]): Error {
  return trouble('these functions cannot be used', {
    where: problems.map(({ file, why }) => `${file}: ${why}`),
    mend: problems.map(({ mend }) => mend),
  });
}
