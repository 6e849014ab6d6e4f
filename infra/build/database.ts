import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { mended } from '#shared/adapters/database/mended.ts';
import { readMigrations } from '../migrations/read.ts';
import { root } from './options.ts';

/** What the sources take from folders when they run, a bundle has inside: the migrations, and postgres.js as we mend it. */
export function database(): Plugin {
  return {
    name: 'database',
    setup({ onLoad }) {
      onLoad({ filter: /\/infra\/migrations\/read\.ts$/ }, async () => ({
        contents: `const migrations = ${JSON.stringify(await readMigrations())};
export async function readMigrations() { return migrations; }`,
      }));
      onLoad({ filter: /\/shared\/adapters\/database\/postgres-js\.ts$/ }, () => ({
        contents: `export { default as postgres } from 'postgres';`,
        resolveDir: root,
      }));
      onLoad({ filter: /\/postgres\/src\/[a-z]+\.js$/ }, async ({ path }) => ({
        contents: mended(path, await readFile(path, 'utf8')),
      }));
    },
  };
}
