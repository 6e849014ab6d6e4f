import { describe, expect, it } from 'vitest';
import { boundedReads } from '#shared/adapters/database/bounded.ts';

describe('a read that somebody can do without', () => {
  const fails = async () => {
    throw new Error('no database');
  };
  const answers = async () => 'read';

  it('is what was read', async () => {
    expect(await boundedReads()(answers)).toBe('read');
  });

  it('is nothing where it fails, or is not answered in time', async () => {
    expect(await boundedReads()(fails)).toBeUndefined();
    expect(await boundedReads({ readMs: 1 })(() => new Promise(() => undefined))).toBeUndefined();
  });

  it('is not tried for a while after one that failed, and then again', async () => {
    let nowMs = 0;
    const reads = boundedReads({ restMs: 1_000, now: () => nowMs });
    await reads(fails);
    nowMs = 999;
    expect(await reads(answers)).toBeUndefined();
    nowMs = 1_000;
    expect(await reads(answers)).toBe('read');
  });
});
