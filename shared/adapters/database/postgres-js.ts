import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import type connect from 'postgres';
import { mended } from './mended.ts';

/** The library, mended while it is loaded. In a bundle the build does the same, and this file is not in it. */
export const postgres = load(createRequire(import.meta.url).resolve('postgres')) as typeof connect;

function load(entry: string): unknown {
  const require = createRequire(entry);
  const loaded = new Map<string, { exports: unknown }>();
  const open = (path: string): unknown => {
    const known = loaded.get(path);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(path, module);
    const text = mended(path, readFileSync(path, 'utf8'));
    const ask = (name: string) =>
      name.startsWith('.') ? open(join(dirname(path), name)) : require(name);
    compileFunction(text, ['module', 'exports', 'require'], { filename: path })(
      module,
      module.exports,
      ask,
    );
    return module.exports;
  };
  return open(entry);
}
