import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import type { Line } from '#shared/domain/watched.ts';
import { added, streamFrom, watching } from './streaming-server.ts';

const filler = { x: 'x'.repeat(16 * 1024) };

/** Writes numbered lines for as long as the socket takes them. */
function flooding(count: number) {
  const state = { written: 0, isBlocked: false };
  const flow = (response: ServerResponse) => {
    while (state.written < count) {
      const isRoom = response.write(`${added(`n${state.written}`, filler)}\n`);
      state.written += 1;
      if (!isRoom) {
        state.isBlocked = true;
        response.once('drain', () => {
          state.isBlocked = false;
          flow(response);
        });
        return;
      }
    }
    response.end();
  };
  return {
    state,
    script: (_: unknown, response: ServerResponse) => {
      response.writeHead(200);
      flow(response);
    },
  };
}

describe('a slow consumer', () => {
  it('leaves the socket alone: the server is blocked, and our memory stays flat', async () => {
    const total = 1_500;
    const { state, script } = flooding(total);
    const { stream } = await streamFrom(script);
    const before = process.memoryUsage().arrayBuffers;
    const watch = await watching(stream, { idleMs: 60_000 });
    const blockedAt = await vi.waitFor(() => stillBlocked(state), { timeout: 5_000, interval: 50 });
    // 24 MB are waiting. The kernel's buffers take a few of them, we next to nothing.
    expect(blockedAt).toBeLessThan(total);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * 1024 * 1024);

    const names = await everyName(watch.next);
    expect(names).toHaveLength(total);
    expect(names.every((name, index) => name === `n${index}`)).toBe(true);
  });
});

async function stillBlocked(state: { written: number; isBlocked: boolean }): Promise<number> {
  const before = state.written;
  await new Promise((resolve) => setTimeout(resolve, 100));
  if (!state.isBlocked || state.written !== before) throw new Error('the server still writes');
  return before;
}

async function everyName(next: () => Promise<readonly Line[] | object>) {
  const names: (string | undefined)[] = [];
  for (let lines = await next(); Array.isArray(lines); lines = await next()) {
    for (const line of lines as readonly Line[]) {
      names.push(line.kind === 'change' ? line.object.metadata.name : line.kind);
    }
  }
  return names;
}
