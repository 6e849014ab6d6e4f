import { afterEach, describe, expect, it } from 'vitest';
import type { Audit } from '#events/forwarder/audit.ts';
import type { Stream } from '#events/forwarder/ports.ts';
import type { Stage } from '#events/forwarder/stage.ts';
import { watchOn } from '#events/forwarder/watching.ts';
import type { Writer } from '#events/forwarder/writer.ts';
import { pods } from '#shared/domain/kind.ts';
import type { Cursor } from '#shared/domain/mirrored.ts';
import type { WatchEnd, Watching } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

const cursor: Cursor = { epoch: 1, generation: 1, at: { resourceVersion: '7' } };
const silent: Watching = {
  kind: 'open',
  next: async () => ({ kind: 'closed' }),
  close: () => undefined,
};

const audit: Audit = { step: async () => 'on', takeOver: () => undefined, end: () => undefined };

/** Watches that end without a line, each after so many seconds; by themselves, if nothing else is said. */
async function stagesAfter(
  afterSeconds: readonly number[],
  end: WatchEnd = { kind: 'closed' },
): Promise<readonly Stage[]> {
  let now = 0;
  const writer = {
    world: {
      stream: { watch: async () => silent },
      pace: { watchSeconds: [300, 600], idleMs: 1, firstBackoffMs: 500, maxBackoffMs: 30_000 },
      random: () => 1,
      now: () => now,
      tell: () => undefined,
    },
    followed: { scope: { kind: pods } },
    term: { scope: 'pods' },
    memory: {
      watch: { openedAt: 0, lines: 0, hasGiven: false },
      ...{ silentEnds: 0, vainEnds: 0 },
    },
  } as unknown as Writer;
  const stages: Stage[] = [];
  for (const seconds of afterSeconds) {
    const next = async () => {
      now += seconds * 1_000;
      return end;
    };
    const watching = { ...silent, next };
    stages.push(await watchOn({ kind: 'watch', cursor, watching, audit }, writer));
  }
  return stages;
}

async function endings(...afterSeconds: readonly number[]): Promise<readonly string[]> {
  return (await stagesAfter(afterSeconds)).map(({ kind }) => kind);
}

describe('a watch that ends without a word', () => {
  it('is a restart when it is one, and a 410 when it is the second at once', async () => {
    expect(await endings(0, 0)).toEqual(['wait', 'list']);
  });

  it('is no second one in a row after a watch that lasted', async () => {
    expect(await endings(0, 300, 0)).toEqual(['wait', 'check', 'wait']);
  });

  it('waits longer before each list, where all watches end so, until one has lasted', async () => {
    const stages = await stagesAfter([...Array(12).fill(0), 300, 0, 0]);
    expect(stages.map((stage) => (stage.kind === 'wait' ? stage.ms : stage.kind))).toEqual([
      ...[500, 'list', 2_000, 'list', 8_000, 'list', 30_000, 'list', 30_000, 'list'],
      ...[30_000, 'list', 'check', 500, 'list'],
    ]);
  });
});

describe('a watch that gave nothing', () => {
  it('is begun again no later where the clock was set back meanwhile', async () => {
    const stages = await stagesAfter([-3_600], { kind: 'cut', why: '' });
    expect(stages).toMatchObject([{ kind: 'wait', ms: 500 }]);
  });

  it.each<[string, WatchEnd, readonly (string | number)[]]>([
    ['a 410', { kind: 'expired', why: '' }, ['list', 1_000, 'list', 4_000, 'list', 'list', 1_000]],
    ['a cut', { kind: 'cut', why: '' }, [500, 1_000, 2_000, 4_000, 8_000, 'check', 1_000]],
  ])('begins anew after %s once one has lasted', async (_, end, expected) => {
    const stages = await stagesAfter([0, 0, 0, 0, 0, 40, 0], end);
    expect(stages.map((stage) => (stage.kind === 'wait' ? stage.ms : stage.kind))).toEqual(
      expected,
    );
  });

  it('waits for what its backoff has beyond the time that it lasted', async () => {
    const stages = await stagesAfter([0, 0, 0, 3], { kind: 'cut', why: '' });
    expect(stages.at(-1)).toMatchObject({ kind: 'wait', ms: 1_000 });
  });
});

describe('after a list that was made for such ends', () => {
  let world: Forwarding | undefined;
  afterEach(() => world?.close());

  it('one more is a restart again: nothing is listed', async () => {
    let ends = 3;
    const streamOver = (stream: Stream): Stream => ({
      ...stream,
      async watch(scope, options) {
        if (options.resourceVersion === undefined) {
          return { kind: 'unsupported', why: 'an older server' };
        }
        ends -= 1;
        return ends >= 0 ? silent : stream.watch(scope, options);
      },
    });
    world = await forwarding({ streamOver });
    const one = await world.start([subscribed({ of: pods })]);
    await until('bookmarks', () => one.kinds().includes('heard'));

    expect(one.kinds().filter((kind) => kind === 'watch-ended')).toHaveLength(3);
    expect(one.told.flatMap((told) => (told.kind === 'listing' ? told.why : []))).toEqual([
      'nothing is known yet',
      'the watch ended twice at once, without a word',
    ]);
  });
});
