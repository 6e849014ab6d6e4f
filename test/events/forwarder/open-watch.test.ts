import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { watchTimeout } from '#events/forwarder/open-watch.ts';
import type { Stream } from '#events/forwarder/ports.ts';
import { configMaps, pods } from '#shared/domain/kind.ts';
import type { Line, Watching } from '#shared/domain/watched.ts';
import { type Forwarding, forwarding, subscribed, until } from '#test/support/forwarding.ts';

const watchSeconds = [300, 600] as const;

describe('how long a watch is asked to last', () => {
  it.each([
    [0, 300],
    [0.5, 450],
    [0.999999, 600],
  ])('with a chance of %d is %d s', (chance, seconds) => {
    expect(watchTimeout({ pace: { watchSeconds }, random: () => chance })).toBe(seconds);
  });
});

describe('the watches of a forwarder', () => {
  let world: Forwarding | undefined;
  afterEach(() => world?.close());

  /** On a server that has streaming lists, whose first watch begins with one, or on one that has not. */
  it.each([
    ['begin with a list that streams', true],
    ['follow a list in pages', false],
  ])('last differently long where they %s', async (_, isStreaming) => {
    const asked: number[] = [];
    const streamOver = (stream: Stream): Stream => ({
      ...stream,
      async watch(scope, options) {
        const isList = options.resourceVersion === undefined;
        if (isList && !isStreaming) return { kind: 'unsupported', why: 'an older server' };
        asked.push(options.timeoutSeconds);
        return stream.watch(scope, options);
      },
    });
    world = await forwarding({ streamOver });
    const places = ['a', 'b', 'c', 'd'].map((namespace) => ({ namespace }));
    const watches = [pods, configMaps].flatMap((of) => places.map((place) => ({ of, ...place })));
    await world.start(watches.map((watch) => subscribed(watch)));
    await until('all watch', () => asked.length >= watches.length);

    expect(asked.filter((seconds) => seconds < 300 || seconds > 600)).toEqual([]);
    expect(new Set(asked).size).toBeGreaterThan(1);
  });

  it('end by themselves where the server lets them live, and go on where they were', async () => {
    const streamOver = (stream: Stream): Stream => ({
      ...stream,
      watch: (scope, options) => stream.watch(scope, { ...options, timeoutSeconds: 3_600 }),
    });
    world = await forwarding({ streamOver });
    const pace = { watchSeconds: [0.1, 0.2], idleMs: 300 } as const;
    const one = await world.start([subscribed({ of: pods })], pace);
    await until(
      'three watches',
      () => one.kinds().filter((kind) => kind === 'watching').length > 2,
    );

    expect(one.kinds().filter((kind) => kind === 'listing')).toHaveLength(1);
    expect(one.kinds()).not.toContain('waiting');
  });

  it('end by themselves where a list that streams never does, which is read by pages then', async () => {
    const line: Line = { kind: 'bookmark', resourceVersion: '1', isInitialEnd: false };
    const endless: Watching = {
      kind: 'open',
      async next() {
        await pause(10);
        return [line];
      },
      close: () => undefined,
    };
    const streamOver = (stream: Stream): Stream => ({
      ...stream,
      watch: async (scope, options) =>
        options.resourceVersion === undefined ? endless : stream.watch(scope, options),
    });
    world = await forwarding({ streamOver });
    const pace = { watchSeconds: [0.1, 0.2], idleMs: 300 } as const;
    const one = await world.start([subscribed({ of: pods })], pace);
    await until('a list', () => one.kinds().includes('listed'));

    await until('a watch', () => one.kinds().includes('watching'));
  });
});
