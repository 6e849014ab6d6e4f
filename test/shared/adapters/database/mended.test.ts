import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mended } from '#shared/adapters/database/mended.ts';

const folder = dirname(createRequire(import.meta.url).resolve('postgres'));

describe('mended', () => {
  it.each([
    ['as modules load it', join(folder, 'connection.js')],
    ['as a bundle takes it', join(folder, '../../src/connection.js')],
  ])('finds each place in the library, %s', (_, path) => {
    const text = readFileSync(path, 'utf8');
    expect(mended(path, text).match(/nextWriteTimer = null/g)).toHaveLength(5);
  });

  it('leaves the other files alone', () => {
    const path = join(folder, 'query.js');
    expect(mended(path, 'as it is')).toBe('as it is');
  });

  it('refuses a library that has changed', () => {
    const changed = () => mended(join(folder, 'connection.js'), 'function write() {}');
    expect(changed).toThrow('postgres.js is another one');
  });
});
