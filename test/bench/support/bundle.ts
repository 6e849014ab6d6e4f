import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildBundles, type Source } from '#infra/build/bundles.ts';
import { common } from '#infra/build/options.ts';

const functions = {
  'prefer-pool': 'functions/node-affinity/prefer-pool.ts',
  'prefer-pool-when': 'test/bench/functions/alone/prefer-pool-when.ts',
} as const;

export type Bundled = keyof typeof functions;

/** Built anew as `npm run build` does it, so that what is measured is what stands in the sources. */
export async function bundleFunctions(
  directory: string,
): Promise<Readonly<Record<Bundled, string>>> {
  const sources = Object.entries(functions).map(([name, file]): Source => {
    return { file, definition: { name, shape: 'admission' } };
  });
  await buildBundles(sources, directory);
  // The bundles use it where it is there; an image ships it warm.
  mkdirSync(join(directory, '.compile-cache'));
  const fileOf = (name: Bundled) => join(directory, `${name}.mjs`);
  return { 'prefer-pool': fileOf('prefer-pool'), 'prefer-pool-when': fileOf('prefer-pool-when') };
}

/** With the very same options. */
export async function bundleYardstick(name: string, directory: string): Promise<string> {
  await build({
    ...common,
    entryPoints: [fileURLToPath(new URL(`../yardsticks/${name}.ts`, import.meta.url))],
    outdir: directory,
    outExtension: { '.js': '.mjs' },
  });
  return join(directory, `${name}.mjs`);
}
