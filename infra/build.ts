import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Metafile } from 'esbuild';
import type { Definition } from '#shared/define.ts';
import { openRegistry } from '#shared/runtime/registry.ts';
import { buildBundles, type Source } from './build/bundles.ts';
import { buildDeclarations } from './build/declarations.ts';
import { licencesOf } from './build/licences.ts';
import { root } from './build/options.ts';
import { buildProgram } from './build/program.ts';
import { loadFunctions } from './functions.ts';

/** All that is published and deployed: the command, one bundle a function, and the types for those who write their own. */
export async function buildAll(directory: string): Promise<readonly Metafile[]> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const sources = await builtInSources();
  const [program, bundles] = await Promise.all([
    buildProgram(sources, directory),
    buildBundles(sources, join(directory, 'functions')),
    buildDeclarations(join(directory, 'types')),
  ]);
  const metafiles = [program, ...bundles];
  await writeFile(join(directory, 'LICENCES.txt'), await licencesOf(metafiles));
  return metafiles;
}

export async function builtInSources(): Promise<
  readonly (Source & { readonly definition: Definition })[]
> {
  const loaded = await loadFunctions({ builtIn: true });
  const registered = loaded.ok ? openRegistry(loaded.found) : loaded;
  if (!registered.ok) {
    throw new Error(
      registered.problems.map(({ file, why, mend }) => `${file}: ${why}; ${mend}`).join('\n'),
    );
  }
  const { definitions } = registered.registry;
  return definitions.map((definition) => ({
    file: `functions/${definition.capability}/${definition.name}.ts`,
    definition,
  }));
}

/** Of each file, in KiB, and what its largest guests take in it. */
function sizes(metafiles: readonly Metafile[]): string {
  return metafiles
    .flatMap(({ outputs }) => Object.entries(outputs))
    .filter(([file]) => !file.endsWith('.map'))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, { bytes }]) => `${(bytes / 1024).toFixed(1).padStart(9)} KiB  ${file}`)
    .join('\n');
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
  const started = performance.now();
  const metafiles = await buildAll(join(root, values.out));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${sizes(metafiles)}\nbuilt in ${seconds} s\n`);
}
