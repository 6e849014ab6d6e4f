import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Option } from 'commander';
import type { Environment } from '#shared/runtime/config.ts';
import { type Places, readPlaces } from '../emulator/dev/state-files.ts';
import { findRunning } from './database.ts';
import { trouble } from './output.ts';

/** Of a verb that looks into what another process of ours has in its database. */
export const stateOption = () =>
  new Option(
    '--state <folder>',
    'of gatehouse dev or serve (default: the database of DATABASE_URL, else GATEHOUSE_STATE, or .gatehouse)',
  );

type Named = Pick<Environment, 'databaseUrl' | 'stateFolder'>;

/**
 * Where such a verb looks. A folder that is named is meant. Where none is, and nobody runs in the usual one, a dev that
 * works against another cluster may run below it: what the stopped emulator has left would be an answer about another world.
 */
export async function databaseLookedInto<T extends Named>(
  environment: T,
  state: string | undefined,
  say: (text: string) => unknown,
): Promise<T> {
  if (state !== undefined) return { ...environment, databaseUrl: undefined, stateFolder: state };
  const { databaseUrl, stateFolder } = environment;
  if (databaseUrl !== undefined) return environment;
  if ((await findRunning(stateFolder)) !== undefined) return environment;
  const [only, ...more] = await runningAgainst(stateFolder);
  if (only === undefined) return environment;
  if (more.length > 0) throw oneOf([only, ...more]);
  say(`a dev --against runs, and no emulator: this is of --state ${only}`);
  return { ...environment, stateFolder: only };
}

/** The name of its cluster. */
export async function clusterLookedInto(
  environment: Named,
  state: string | undefined,
): Promise<string | undefined> {
  return (await devLookedInto(environment, state))?.places.clusterName;
}

/** The user's own functions that it was started with. */
export async function functionsLookedInto(
  environment: Named,
  state: string | undefined,
): Promise<string | undefined> {
  const { stateFolder, places } = (await devLookedInto(environment, state)) ?? {};
  const functions = places?.functions;
  if (stateFolder === undefined || functions === undefined) return undefined;
  const found = await stat(functions).catch(() => undefined);
  if (found?.isDirectory() === true) return functions;
  throw trouble('the folder of functions is gone that gatehouse dev was started with', {
    where: `${functions}, as ${join(stateFolder, 'endpoints.json')} has it`,
    mend: 'put it back, or name the one that is meant by --functions',
  });
}

/** The dev that runs there or ran there last, unless somebody else does now. */
async function devLookedInto(environment: Named, state: string | undefined) {
  const { databaseUrl, stateFolder } = await databaseLookedInto(environment, state, () => {});
  if (databaseUrl !== undefined) return undefined;
  const places: Partial<Places> | undefined = await readPlaces(stateFolder);
  if (places === undefined) return undefined;
  const running = await findRunning(stateFolder);
  const isOthers = running !== undefined && running !== places.database;
  return isOthers ? undefined : { stateFolder, places };
}

async function runningAgainst(stateFolder: string): Promise<readonly string[]> {
  const parent = join(stateFolder, 'against');
  const names = await readdir(parent).catch(() => []);
  const folders = names.toSorted().map((name) => join(parent, name));
  const running = await Promise.all(folders.map(findRunning));
  return folders.filter((_, at) => running[at] !== undefined);
}

function oneOf(folders: readonly string[]): Error {
  return trouble('several dev --against run, and no emulator', {
    where: folders,
    mend: 'say which of them is meant by --state',
  });
}
