import { describe, expect, it } from 'vitest';
import { emulate } from '#infra/emulator/world/emulate.ts';
import { applyFault, usageOf } from '#infra/emulator/world/faults/apply-fault.ts';
import type { Knobs } from '#infra/emulator/world/faults/knobs.ts';
import { faults } from '#infra/emulator/world/faults/table.ts';

/** Writes down what is turned, and with what. */
function knobsRecorded() {
  const turned: (readonly [string, ...unknown[]])[] = [];
  const knobs = Object.fromEntries(
    faults.map(({ name }) => [
      name,
      async (...given: readonly unknown[]) => void turned.push([name, ...given]),
    ]),
  ) as unknown as Knobs;
  return { knobs, turned };
}

describe('the table of faults', () => {
  it('has every knob of a world, once', async () => {
    await using world = await emulate({ functions: [] });
    const names = faults.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(typeof world[name]).toBe('function');
    expect(names.toSorted()).toEqual([
      'coldStart',
      'compact',
      'conflict',
      'dropWatches',
      'duplicate',
      'fail',
      'gone',
      'halfOpen',
      'killAfterHandler',
      'recreate',
      'reorderGroups',
      'restartAll',
      'skewClock',
      'slow',
      'staleMirror',
    ]);
  });

  it('says of each what it breaks, where, and how it is called', () => {
    for (const { name, at, breaks } of faults) {
      expect(`${name} ${at}`).toMatch(/^\w+ [a-z-]+$/);
      expect(breaks).toMatch(/^[A-Z].*\.$/);
    }
    expect(faults.map(usageOf)).toContain('fail code [verb] [kind] [times] [after] [user]');
  });
});

describe('applyFault', () => {
  it.each<[string, object, readonly unknown[]]>([
    ['gone', { kind: 'Pod' }, ['Pod', undefined]],
    ['gone', { kind: 'Pod', user: 'everybody' }, ['Pod', 'everybody']],
    ['dropWatches', {}, [undefined, undefined]],
    ['slow', { ms: 200, verb: 'update' }, [200, { verb: 'update' }]],
    [
      'fail',
      { verb: 'get', kind: 'pods', code: 503, times: 2 },
      [{ verb: 'get', kind: 'pods', code: 503, times: 2 }],
    ],
    ['fail', { code: 'lost' }, [{ code: 'lost' }]],
    ['conflict', { times: 3 }, [3]],
    ['duplicate', { atOnce: true }, [{ atOnce: true }]],
    ['coldStart', { ms: 9 }, [9]],
    ['recreate', { ref: 'Pod team-a/web' }, ['Pod team-a/web']],
    ['staleMirror', { kind: 'Pod', forMs: 10 }, ['Pod', 10]],
    ['skewClock', { ms: -5 }, [-5]],
    ['restartAll', {}, []],
  ])('turns %s as JSON says: %j', async (name, given, expected) => {
    const { knobs, turned } = knobsRecorded();
    await applyFault(knobs, { name, ...given });
    expect(turned).toEqual([[name, ...expected]]);
  });

  it.each<[string, unknown, RegExp]>([
    ['no object', 'gone', /a fault is an object, \{"name": "gone"/],
    ['no name', {}, /"name" is one of gone, compact/],
    ['a name that is none', { name: 'gnoe' }, /no fault is called gnoe; there are gone, compact/],
    [
      'an argument that is missing',
      { name: 'gone' },
      /\$\.kind: expected text.*called as gone kind/,
    ],
    ['one of another type', { name: 'slow', ms: 'soon' }, /\$\.ms: expected .*called as slow ms/],
    ['a key too many', { name: 'compact', now: true }, /\$\.now: there is no such key/],
    ['a code that is no refusal', { name: 'fail', code: 200 }, /\$\.code/],
  ])('refuses %s, says what to do, and turns nothing', async (_, stated, expected) => {
    const { knobs, turned } = knobsRecorded();
    await expect(applyFault(knobs, stated)).rejects.toThrow(expected);
    expect(turned).toEqual([]);
  });
});
