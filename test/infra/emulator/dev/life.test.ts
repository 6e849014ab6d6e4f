import { describe, expect, it } from 'vitest';
import { openLife } from '#infra/emulator/dev/life.ts';

/** Counts who serves at the same time, and takes a few turns for each step. */
function openServers() {
  const story: string[] = [];
  const open = new Set<number>();
  let count = 0;
  let failing = 0;
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  const serveOnce = async () => {
    count += 1;
    const number = count;
    await turns();
    if (failing > 0) {
      failing -= 1;
      throw new Error('no port');
    }
    open.add(number);
    story.push([...open].join('+'));
    const stop = async () => {
      await turns();
      if (!open.delete(number)) story.push(`${number} stopped twice`);
    };
    return { number, stop };
  };
  const fail = (times: number) => {
    failing = times;
  };
  return { serveOnce, story, open, fail };
}

describe('what serves', () => {
  it('is one at a time, however many restarts are asked for at once', async () => {
    const { serveOnce, story, open } = openServers();
    const life = await openLife(serveOnce);
    const first = life.restart();
    await Promise.resolve();
    // Another save, after the first restart has begun.
    await Promise.all([first, life.restart(), life.restart()]);
    expect(story).toEqual(['1', '2', '3']);
    await life.stop();
    expect([...open]).toEqual([]);
  });

  it('is ended for good, also in the middle of a restart, and does not come again', async () => {
    const { serveOnce, story, open } = openServers();
    const life = await openLife(serveOnce);
    const restart = life.restart();
    await Promise.resolve();
    await Promise.all([life.stop(), life.restart(), restart]);
    expect(story).toEqual(['1', '2']);
    expect([...open]).toEqual([]);
  });

  it('that did not begin again is begun by the next restart', async () => {
    const { serveOnce, story, open, fail } = openServers();
    const life = await openLife(serveOnce);
    fail(1);
    await expect(life.restart()).rejects.toThrow('no port');
    await life.restart();
    expect(story).toEqual(['1', '3']);
    await life.stop();
    expect([...open]).toEqual([]);
  });
});
