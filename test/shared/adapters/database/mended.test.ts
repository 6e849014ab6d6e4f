import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { database } from '#infra/build/database.ts';
import { root } from '#infra/build/options.ts';
import { mended } from '#shared/adapters/database/mended.ts';

const folder = dirname(createRequire(import.meta.url).resolve('postgres'));

describe('mended', () => {
  it.each([
    ['as modules load it', folder],
    ['as a bundle takes it', join(folder, '../../src')],
  ])('finds each place in the library, %s', (_, from) => {
    for (const name of ['connection.js', 'index.js', 'query.js']) {
      const path = join(from, name);
      const text = readFileSync(path, 'utf8');
      expect(mended(path, text)).not.toBe(text);
    }
  });

  it('is in each file that a bundle takes', async () => {
    const contents = `export { postgres } from './shared/adapters/database/postgres-js.ts';`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      plugins: [database()],
      ...{ bundle: true, platform: 'node', format: 'esm', write: false },
    });
    expect(outputFiles[0]?.text).toContain('.catch((cause) => {');
    expect(outputFiles[0]?.text).toContain('const lose = (cause) => {');
  });

  it('leaves the other files alone', () => {
    const path = join(folder, 'result.js');
    expect(mended(path, 'as it is')).toBe('as it is');
  });

  it('refuses a library that has changed', () => {
    const changed = () => mended(join(folder, 'connection.js'), 'function write() {}');
    expect(changed).toThrow('postgres.js is another one');
  });
});
