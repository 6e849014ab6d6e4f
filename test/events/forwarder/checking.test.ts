import { describe, expect, it } from 'vitest';
import { check } from '#events/forwarder/checking.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Cursor, Term } from '#shared/domain/mirrored.ts';

const cursor: Cursor = { epoch: 1, generation: 1, at: { resourceVersion: '7' } };
const term: Term = { scope: 'pods', holder: 'one', number: 3 };
const restoredMs = 30_000;

type Answer = { readonly version: string; readonly afterMs?: number };
type Known = { readonly uid: string; readonly epoch: number };

/** Its last answer it gives again and again. */
function server(given: {
  readonly answers?: readonly Answer[];
  readonly begins?: number | 'fenced' | undefined;
  readonly identities?: { readonly stored: () => Known; readonly live: () => string };
}) {
  const { answers = [{ version: '7' }], begins = 2 } = given;
  const [last] = answers.slice(-1);
  const { stored, live } = given.identities ?? {
    stored: () => ({ uid: 'home', epoch: 1 }),
    live: () => 'home',
  };
  let now = 0;
  const asked: number[] = [];
  const begun: unknown[] = [];
  const writer = {
    world: {
      store: {
        identity: async () => stored(),
        beginEpoch: async (...next: unknown[]) => {
          begun.push(next);
          return begins;
        },
      },
      stream: {
        identity: async () => live(),
        async version() {
          const { version = '', afterMs = 0 } = answers[asked.length] ?? last ?? {};
          asked.push(now);
          now += afterMs;
          return { kind: 'version', resourceVersion: version };
        },
      },
      pace: { restoredMs },
      now: () => now,
      pause: async (ms: number) => {
        now += ms;
      },
      tell: () => {},
    },
    followed: { scope: { kind: pods } },
    term,
    signal: new AbortController().signal,
    memory: { ahead: '' },
  } as unknown as Writer;
  return { writer, asked, begun };
}

describe('a server whose version is behind the cursor', () => {
  it.each<[string, readonly Answer[]]>([
    ['catches up with the next answer', [{ version: '6' }, { version: '7' }]],
    [
      'catches up after a while',
      [{ version: '6' }, { version: '5' }, { version: '6' }, { version: '8' }],
    ],
    [
      'gave one answer, which we slept over for longer than the wait',
      [{ version: '6', afterMs: 10 * restoredMs }, { version: '7' }],
    ],
    [
      'gave two answers, and we slept over the second',
      [{ version: '6' }, { version: '6', afterMs: restoredMs }, { version: '7' }],
    ],
  ])('is a replica that lags where it %s', async (_, answers) => {
    const { writer, begun } = server({ answers });
    expect(await check(cursor, writer)).toEqual({ kind: 'wake-existing', cursor });
    expect(begun).toEqual([]);
  });

  it('was restored where it still is when it is asked at the end of the wait', async () => {
    const { writer, asked, begun } = server({ answers: [{ version: '6' }] });
    expect(await check(cursor, writer)).toEqual({ kind: 'check', cursor });
    expect(asked.at(-1)).toBeGreaterThanOrEqual(restoredMs);
    expect(begun).toEqual([[term, { uid: 'home', after: 1 }]]);
  });

  it('is nobody’s to judge whose term is over', async () => {
    const { writer } = server({ answers: [{ version: '6' }], begins: 'fenced' });
    expect(await check(cursor, writer)).toEqual({ kind: 'fenced' });
  });
});

describe('another cluster under the address', () => {
  it('begins an epoch by whoever has the term', async () => {
    const identities = { stored: () => ({ uid: 'home', epoch: 1 }), live: () => 'away' };
    const { writer, begun } = server({ identities });
    expect(await check(cursor, writer)).toMatchObject({ kind: 'list', cursor: { epoch: 2 } });
    expect(begun).toEqual([[term, { uid: 'away', after: 1 }]]);
  });

  it('begins none by whoever lost it', async () => {
    const identities = { stored: () => ({ uid: 'home', epoch: 1 }), live: () => 'away' };
    const { writer } = server({ identities, begins: 'fenced' });
    expect(await check(cursor, writer)).toEqual({ kind: 'fenced' });
  });

  it('is never the one of before, whose answer is older than what is stored', async () => {
    // Another forwarder meets the new one between the first question and the second.
    let isMoved = false;
    const moving = <T>(before: T, after: T) => {
      const answer = isMoved ? after : before;
      isMoved = true;
      return answer;
    };
    const identities = {
      stored: () => moving({ uid: 'home', epoch: 1 }, { uid: 'away', epoch: 2 }),
      live: () => moving('home', 'away'),
    };
    const { writer, begun } = server({ identities });
    await check(cursor, writer);
    expect(begun).not.toContainEqual([term, expect.objectContaining({ uid: 'home' })]);
  });
});
