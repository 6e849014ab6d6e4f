import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { arrivals } from '#shared/adapters/cluster/stream/arrivals.ts';

it('a connection that is watched is kept alive, and found dead where nobody is there any more', () => {
  const asked: unknown[] = [];
  const socket = { setKeepAlive: (...given: readonly unknown[]) => asked.push(given) };
  arrivals(Object.assign(new PassThrough(), { socket }) as unknown as IncomingMessage);
  expect(asked).toEqual([[true, 30_000]]);
});
