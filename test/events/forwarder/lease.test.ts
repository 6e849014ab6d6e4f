import { describe, expect, it } from 'vitest';
import { keepTerm } from '#events/forwarder/lease.ts';
import type { World } from '#events/forwarder/world.ts';
import type { Term } from '#shared/domain/mirrored.ts';
import { until } from '#test/support/until.ts';

const term: Term = { scope: 'pods', holder: 'one', number: 1 };

/** Renewals are answered so, one after the other, and then by nobody. */
function kept(...answers: readonly (boolean | 'away')[]) {
  const left = [...answers];
  let renewals = 0;
  const ended = new AbortController();
  const world = {
    store: {
      async renew() {
        renewals += 1;
        const answer = left.shift();
        if (answer === 'away') throw new Error('the database is away');
        return answer;
      },
      release: async () => undefined,
    },
    pace: { leaseMs: 300 },
    pause: (_: number, signal: AbortSignal) =>
      left.length > 0
        ? Promise.resolve()
        : new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
  } as unknown as World;
  return { ...keepTerm(term, world, ended.signal), renewals: () => renewals };
}

describe('a term that is kept', () => {
  it('goes on while the database does not answer: what was written since, its transactions decide', async () => {
    await using turn = kept(true, 'away', 'away', true);
    await until(() => turn.renewals() === 4);
    expect(turn.signal.aborted).toBe(false);
  });

  it('ends where the database says that somebody else has it', async () => {
    await using turn = kept(true, 'away', false);
    await until(() => turn.signal.aborted);
    expect(turn.renewals()).toBe(3);
  });
});
