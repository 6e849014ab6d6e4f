import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followedReads } from '#shared/adapters/database/followed-reads.ts';
import { pods } from '#shared/domain/kind.ts';

describe('a read of what is followed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const never = () => new Promise<never>(() => undefined);
  const read = async () => 'read';

  it.each([
    ['what was read', async () => false, 'read'],
    ['nothing where the kind is not followed', async () => true, undefined],
  ])('is %s', async (_, isStale, expected) => {
    expect(await followedReads(isStale)({ kind: pods }, read)).toBe(expected);
  });

  it.each([
    ['of the row', async () => false],
    ['of how old the mirror is', never],
  ])(
    'is given up after two seconds where the database never answers the question %s',
    async (_, isStale) => {
      const answers: unknown[] = [];
      void followedReads(isStale)({ kind: pods }, never).then((answer) => answers.push(answer));
      await vi.advanceTimersByTimeAsync(1_999);
      expect(answers).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(answers).toEqual([undefined]);
    },
  );
});
