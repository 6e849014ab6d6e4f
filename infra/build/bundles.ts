import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import type { KnownMigration } from '#shared/adapters/database/schema.ts';
import type { Definition } from '#shared/define.ts';
import { readMigrations } from '../migrations/read.ts';
import { database } from './database.ts';
import { httpAlone } from './http-alone.ts';
import { lazily } from './lazily.ts';
import { loginOnly } from './login-only.ts';
import { common, root } from './options.ts';

/** A function file, relative to the project, and what it is. */
export type Source = {
  readonly file: string;
  readonly definition: Pick<Definition, 'name' | 'shape'>;
};

/**
 * For each function `NAME.mjs`, which is what is run or called; `NAME/main.mjs`, the function with its loop; and, once for all
 * of them, `parts/`: what is loaded only when it is needed. Nothing else is needed to run them.
 */
export async function buildBundles(
  sources: readonly Source[],
  directory: string,
): Promise<readonly Metafile[]> {
  const parts = new Map<string, string>();
  const schema = (await readMigrations()).map(({ name, hash }) => ({ name, hash }));
  const bundles = await build({
    ...common,
    entryPoints: sources.map(({ definition: { name } }) => ({
      in: `joined:${name}`,
      out: `${name}/main`,
    })),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    plugins: [joining(sources, schema), parting(parts), database(), lazily, httpAlone, loginOnly],
  });
  const lazy = await buildParts(parts, directory);
  await mkdir(directory, { recursive: true });
  for (const { definition } of sources) {
    await writeFile(join(directory, `${definition.name}.mjs`), entryOf(definition.name));
  }
  return [bundles.metafile, ...lazy];
}

async function buildParts(
  parts: ReadonlyMap<string, string>,
  directory: string,
): Promise<readonly Metafile[]> {
  if (parts.size === 0) return [];
  const { metafile } = await build({
    ...common,
    entryPoints: [...parts].toSorted().map(([out, file]) => ({ in: file, out })),
    outdir: join(directory, 'parts'),
    outExtension: { '.js': '.mjs' },
    splitting: true,
    chunkNames: '[name]-[hash]',
    plugins: [database(), lazily, httpAlone, loginOnly],
  });
  return [metafile];
}

const loops = {
  admission: { file: 'admission-bundle', make: 'admissionBundle' },
  reconcile: { file: 'reconcile-bundle', make: 'reconcileBundle' },
  endpoint: { file: 'endpoint-bundle', make: 'endpointBundle' },
} as const;

/** The one place that knows both a function and its loop. */
function joining(sources: readonly Source[], schema: readonly KnownMigration[]): Plugin {
  const byName = new Map(sources.map((source) => [source.definition.name, source]));
  return {
    name: 'joining',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^joined:/ }, ({ path }) => ({
        path: path.slice('joined:'.length),
        namespace: 'joined',
      }));
      onLoad({ filter: /.*/, namespace: 'joined' }, ({ path }) => {
        const source = byName.get(path);
        return source && { contents: joined(source, schema), resolveDir: root };
      });
    },
  };
}

function joined(
  { file, definition: { shape } }: Source,
  schema: readonly KnownMigration[],
): string {
  const loop = loops[shape];
  return [
    `import definition from ${JSON.stringify(`./${file}`)};`,
    `import { ${loop.make} } from '#shared/runtime/invoke/${loop.file}.ts';`,
    `export const { handler, handle, serve } = ${loop.make}(definition, ${JSON.stringify(schema)});`,
  ].join('\n');
}

/** What our own code imports when it needs it is a file of its own, and the same one for all bundles. */
function parting(parts: Map<string, string>): Plugin {
  return {
    name: 'parting',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^[.#]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === asked) return undefined;
        if (importer.includes('/node_modules/')) return undefined;

        const options = { kind, importer, resolveDir, pluginData: asked };
        const { path: file, errors } = await resolve(path, options);
        if (errors.length > 0) return { errors };
        const part = relative(root, file).replace(/\.ts$/, '').replaceAll('/', '-');
        parts.set(part, file);
        return { path: `../parts/${part}.mjs`, external: true };
      });
    },
  };
}

const asked = Symbol('asked');

/** Tiny, so that the compile cache is on before anything large is compiled. */
function entryOf(name: string): string {
  return `import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('./.compile-cache', import.meta.url));
if (existsSync(cache)) enableCompileCache(cache);

const bundle = await import('./${name}/main.mjs');
export const { handler, handle } = bundle;

if (import.meta.main) await bundle.serve();
`;
}
