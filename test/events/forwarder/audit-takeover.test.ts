import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAudit } from '#events/forwarder/audit.ts';
import { follow } from '#events/forwarder/follow.ts';
import { followedFrom } from '#events/forwarder/followed.ts';
import type { Stream } from '#events/forwarder/ports.ts';
import { openTurns } from '#events/forwarder/turns.ts';
import { usualPace, type World } from '#events/forwarder/world.ts';
import { mirrorShelf } from '#infra/emulator/testing/mirror/shelf.ts';
import { queueInMemory } from '#infra/emulator/testing/queue-in-memory.ts';
import { storeInMemory } from '#infra/emulator/testing/store-in-memory.ts';
import { pods } from '#shared/domain/kind.ts';
import { subscribed } from '#test/support/forwarding.ts';

const auditMs = 60_000;
const [followed] = followedFrom([subscribed({ of: pods })]);

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** By the clock that is put forward. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A kind of which a watch tells something new each second, and then it is busy. */
function restless(isBusy: boolean) {
  const audits: number[] = [];
  const version = () => `${Date.now() + 1_000}`;
  const next = async () => {
    await pause(1_000);
    return [{ kind: 'bookmark', resourceVersion: version(), isInitialEnd: false }] as const;
  };
  const stream = {
    identity: async () => 'home',
    version: async () => ({ kind: 'version', resourceVersion: version() }),
    async list({ metadataOnly }) {
      if (metadataOnly) audits.push(Date.now());
      const none = { objects: [], continue: undefined, bytes: 0 };
      return { kind: 'page', resourceVersion: version(), ...none };
    },
    async watch(_, { resourceVersion, signal }) {
      if (resourceVersion === undefined) return { kind: 'unsupported', why: 'an older server' };
      let lines = 0;
      return {
        kind: 'open',
        async next() {
          if (signal.aborted) return { kind: 'closed' };
          lines += 1;
          if (!isBusy || lines === 1) return next();
          return { kind: 'busy', why: 'HTTP 503', afterSeconds: 4 };
        },
        close: () => undefined,
      };
    },
  } satisfies Partial<Stream> as unknown as Stream;
  return { stream, audits };
}

function stored() {
  const queue = queueInMemory({ now: Date.now, after: () => () => undefined });
  return storeInMemory({
    shelf: mirrorShelf(),
    cluster: 'home',
    now: Date.now,
    open: queue.open,
  });
}

type Started = { readonly world: Partial<World>; readonly ms: number };

async function followFor({ world, ms }: Started): Promise<void> {
  if (followed === undefined) throw new Error('nothing is followed');
  const ended = new AbortController();
  const whole: World = {
    cluster: 'home',
    stream: restless(false).stream,
    store: stored(),
    holder: 'us',
    pace: { ...usualPace, auditMs },
    now: Date.now,
    random: () => 0.5,
    pause,
    tell: () => undefined,
    ...world,
  };
  const audit = openAudit(whole, openTurns(whole));
  const following = follow(followed, { world: whole, audit }, ended.signal);
  await vi.advanceTimersByTimeAsync(ms);
  ended.abort();
  await vi.advanceTimersByTimeAsync(10_000);
  await following;
}

describe('the audit of whoever takes over', () => {
  it('comes within a tenth of the interval after the takeover, at a moment of its own', async () => {
    const { stream, audits } = restless(false);
    const store = stored();
    await store.claim('pods', 'another', 4 * auditMs);
    let tookOver = Number.NaN;
    const tell: World['tell'] = ({ kind }) => {
      if (kind === 'took-over') tookOver = Date.now();
    };
    await followFor({ world: { stream, store, tell }, ms: 5 * auditMs });

    expect(tookOver).toBeGreaterThanOrEqual(4 * auditMs);
    expect(audits[0]).toBeGreaterThanOrEqual(tookOver + auditMs / 20);
    expect(audits[0]).toBeLessThanOrEqual(tookOver + auditMs / 10);
  });

  it('is not put off by each turn of the same leader', async () => {
    const { stream, audits } = restless(true);
    const turns: string[] = [];
    const tell: World['tell'] = ({ kind }) => {
      if (kind === 'took-over') turns.push(kind);
    };
    await followFor({ world: { stream, tell }, ms: 2 * auditMs });

    expect(turns.length).toBeGreaterThan(10);
    expect(audits[0]).toBeLessThanOrEqual(auditMs);
  });
});
