import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atLeast, atMost, type Bench, below } from '#test/bench/support/bench.ts';
import { runBenches } from '#test/bench/support/run-benches.ts';

describe('a bar', () => {
  it.each([
    ['at least, where it is more', atLeast('x', 3, 2), true],
    ['at least, where it is as much', atLeast('x', 2, 2), true],
    ['at least, where it is less', atLeast('x', 1.999, 2), false],
    ['at least, of what was never measured', atLeast('x', Number.NaN, 2), false],
    ['at most, where it is less', atMost('x', 1, 2), true],
    ['at most, where it is as much', atMost('x', 2, 2), true],
    ['at most, where it is more', atMost('x', 2.001, 2), false],
    ['at most, of what was never measured', atMost('x', Number.NaN, 2), false],
    ['below, where it is as much', below('x', 2, 2), false],
  ])('is told by its number: %s', (_, bar, holds) => {
    expect(bar.holds).toBe(holds);
  });
});

describe('a run of benches', () => {
  const found = (...bars: Awaited<ReturnType<Bench['run']>>['bars']): Bench => ({
    about: 'nothing',
    options: { rounds: 1 },
    run: async () => ({ bench: 'x', figures: {}, bars }),
  });
  const benches: Readonly<Record<string, Bench>> = {
    holds: found(atLeast('x', 3, 2), atMost('x', 1, 2)),
    short: found(atLeast('x', 3, 2), atLeast('y', 1, 2)),
    high: found(atMost('x', 3, 2)),
    broken: { ...found(), run: () => Promise.reject(new Error('it cannot be measured')) },
  };
  const run = async (...args: readonly string[]) => {
    const printed: string[] = [];
    const exit = await runBenches(args, {
      known: Object.keys(benches),
      benchOf: async (name) => benches[name] ?? found(),
      print: (text) => printed.push(text),
    });
    return { exit, printed: printed.length };
  };

  it.each([
    ['all bars hold', ['holds'], 0, 1],
    ['one is too low', ['short'], 1, 1],
    ['one is too high', ['high'], 1, 1],
    ['one of a bench before did not hold', ['short', 'holds'], 1, 2],
    ['one cannot be measured, and the next one is', ['broken', 'holds'], 1, 1],
    ['there is no such option', ['holds', '--turns', '3'], 1, 0],
    ['there is no such bench', ['hold'], 2, 0],
    ['an option has no number', ['holds', '--rounds', 'x'], 2, 0],
  ])('says by its exit code that %s', async (_, args, exit, printed) => {
    expect(await run(...args)).toEqual({ exit, printed });
  });

  it('ends its process with that code', () => {
    const file = join(import.meta.dirname, '../bench/run.ts');
    const { status, stderr } = spawnSync(process.execPath, [file, 'hold'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('no benchmark "hold"')]);
  });
});
