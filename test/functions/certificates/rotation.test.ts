import { assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rotationWorld } from '#test/support/certificates/rotation-world.ts';

const world = { seconds: 300, lateMs: 8_000 } as const;
const enough = { ...world, settle: '10s' };
const tooShort = { ...world, settle: '0s' };
const patienceMs = 60_000;

/** Three replicas, two API servers that learn late, every call interleaved; a failure prints its seed. */
describe('every API server trusts what every replica serves, at every moment', () => {
  it('while leaf and CA rotate, and replicas end and come back', { timeout: patienceMs }, () =>
    assert(
      asyncProperty(integer(), async (seed) => {
        const report = await rotationWorld({ ...enough, seed, trouble: 'restarts' });
        expect(report.refused).toEqual([]);
        expect(report.leaves).toBeGreaterThanOrEqual(3);
      }),
      { numRuns: 1 },
    ),
  );

  it('while somebody deletes the Secret by hand', { timeout: patienceMs }, () =>
    assert(
      asyncProperty(integer(), async (seed) => {
        const report = await rotationWorld({
          ...enough,
          seconds: 150,
          seed,
          trouble: 'deleted-secret',
        });
        expect(report.refused).toEqual([]);
        expect(report.leaves).toBeGreaterThanOrEqual(2);
      }),
      { numRuns: 1 },
    ),
  );

  it.each(['restarts', 'deleted-secret'] as const)(
    'but not when they take longer to learn than is waited (%s): so the world can tell',
    { timeout: patienceMs },
    async (trouble) => {
      const report = await rotationWorld({ ...tooShort, seed: 3, trouble });
      expect(report.refused).not.toEqual([]);
    },
  );
});
