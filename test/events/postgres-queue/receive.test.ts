import { expect, it } from 'vitest';
import { type Looked, untilNextLookMs } from '#events/postgres-queue/receive.ts';

const asleep: Looked = {
  round: 2,
  wasSeen: true,
  isSeen: true,
  isWhole: true,
  floorsLastMs: 1_000,
  nextMs: undefined,
};
const lyingDown = { ...asleep, wasSeen: false, isSeen: false };

it.each<[string, Looked, number]>([
  ['five seconds where nothing is', asleep, 5_000],
  ['until a floor is good no more', { ...asleep, isWhole: false }, 1_000],
  ['until one that somebody holds comes back', { ...asleep, nextMs: 299.2 }, 301],
  ['no longer than five seconds for that', { ...asleep, nextMs: 30_000 }, 5_000],
  ['a moment for what is locked, or a suspect', { ...asleep, nextMs: -20 }, 250],
  ['not at all once everybody has seen the mark', { ...lyingDown, isSeen: true }, 0],
  ['hardly while somebody may not have', { ...lyingDown, round: 0 }, 5],
  ['longer and longer for him', { ...lyingDown, round: 6 }, 320],
  ['no longer than five seconds for him', { ...lyingDown, round: 40 }, 5_000],
])('waits for the next look %s', (_, looked, ms) => {
  expect(untilNextLookMs(looked)).toBe(ms);
});
