import { afterEach, describe, expect, it } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import { watchTimeout } from '#events/forwarder/watch-timeout.ts';
import { configMaps, pods } from '#shared/domain/kind.ts';
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
});
