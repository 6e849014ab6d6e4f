import { expect, it } from 'vitest';
import { freshDatabase } from '../../support/postgres.ts';
import { readsOfBurst } from './burst.ts';

// A walk through all that wait, once a statement, would be hundreds.
it('reads a few rows for a message of a burst that comes while the tables count as empty', async () => {
  expect(await readsOfBurst(freshDatabase)).toBeLessThan(40);
}, 60_000);
