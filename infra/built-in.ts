import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A function file that came with Gatehouse, and how to get what it exports. */
export type BuiltIn = { readonly file: string; load(): Promise<{ readonly default?: unknown }> };

const root = join(import.meta.dirname, '..');

/** In development the folder, as it is now, is the list. `infra/build.ts` puts one in the place of this file that names each. */
export function builtIn(): readonly BuiltIn[] {
  return readdirSync(join(root, 'functions'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `functions/${name}`)
    .toSorted()
    .map((file) => ({ file, load: () => import(pathToFileURL(join(root, file)).href) }));
}

/** What the names stand for that a function file imports, a user's own before all. */
export const authoring: Readonly<Record<string, string>> = {
  'gatehouse/define': new URL('./authoring/define.ts', import.meta.url).href,
  'gatehouse/testing': new URL('./authoring/testing.ts', import.meta.url).href,
};
