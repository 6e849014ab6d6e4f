import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { freshDatabase } from '#test/support/postgres.ts';

const hook = join(import.meta.dirname, '../../../../infra/own-imports.mjs');
const program = ['--import', hook, join(import.meta.dirname, 'left-behind.ts')];
/** A small young heap, which is looked through often, and an old one that nobody looks through meanwhile. */
const heaps = [
  '--max-semi-space-size=2',
  '--initial-old-space-size=500',
  '--max-old-space-size=900',
];

describe('what is read and written', () => {
  it('is gone when it is done with, before the whole heap is looked through', async () => {
    const { url } = await freshDatabase();
    const { stdout } = await promisify(execFile)(process.execPath, [...heaps, ...program, url]);
    const left: Readonly<Record<string, number>> = JSON.parse(stdout);
    expect(Object.keys(left)).toEqual(['statement', 'transaction', 'row', 'event']);
    // Bytes of a call: each had 15,000 with it, which it left behind.
    expect(
      Object.values(left).filter((bytes) => bytes > 500),
      stdout,
    ).toEqual([]);
  }, 60_000);
});
