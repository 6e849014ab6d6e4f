import { expect, it } from 'vitest';
import { companyOf, untilTurn } from '#events/forwarder/company.ts';
import type { Line } from '#shared/domain/watched.ts';

const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
const change = (bytes?: number): Line => ({
  ...({ kind: 'change', type: 'MODIFIED', object } as const),
  ...(bytes === undefined ? {} : { bytes }),
});
const bookmark: Line = { kind: 'bookmark', resourceVersion: '1', isInitialEnd: false };

it.each<[string, readonly Line[], string]>([
  ['a bookmark', [bookmark], 'in-company'],
  ['a few', Array.from({ length: 50 }, () => change(2_000)), 'in-company'],
  ['many', Array.from({ length: 51 }, () => change(20)), 'alone'],
  ['a large one', [bookmark, change(200_000)], 'alone'],
  ['some that are large together', Array.from({ length: 10 }, () => change(20_000)), 'alone'],
  ['those of which nobody knows how large they are', [change()], 'in-company'],
])('shares a transaction, or has one of its own: %s', (_, lines, how) => {
  expect(companyOf(lines)).toBe(how);
});

it.each<[string, number, number]>([
  ['a few', 128 * 1024, 1],
  ['a flood', 128 * 1024 + 1, 0],
])('is read when it may be written, or at once: %s', async (_, bytes, asked) => {
  let count = 0;
  await untilTurn(bytes, {
    async untilCompany() {
      count += 1;
    },
  });
  expect(count).toBe(asked);
});
