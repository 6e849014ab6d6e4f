import { describe, expect, it } from 'vitest';
import { casesFor, type Facts } from '#infra/emulator/world/every-fault/matrix.ts';
import { wordsOf } from '#infra/emulator/world/every-fault/report.ts';
import { applyFault } from '#infra/emulator/world/faults/apply-fault.ts';
import type { Knobs } from '#infra/emulator/world/faults/knobs.ts';
import { faults } from '#infra/emulator/world/faults/table.ts';

const facts: Facts = {
  steps: 2,
  writes: [0, 1, 5],
  kinds: ['ConfigMap', 'Pod'],
  objects: [[], ['ConfigMap notes/one'], ['ConfigMap notes/one']],
};

const all = casesFor(facts, undefined);

function wordsAt(place: number, isHurried: boolean): readonly string[] {
  return all
    .filter((each) => each.place === place && each.isHurried === isHurried)
    .map((each) => each.faults.map(wordsOf).join(' and '));
}

describe('the matrix of cases', () => {
  it('has every fault of the table, alone', () => {
    const alone = all.flatMap((each) => (each.faults.length === 1 ? each.faults : []));
    const missing = faults.filter(({ name }) => !alone.some((fault) => fault.name === name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('turns nothing that the table would refuse', async () => {
    const nothing = async () => {};
    const knobs = Object.fromEntries(faults.map(({ name }) => [name, nothing])) as unknown as Knobs;
    for (const each of all) {
      for (const fault of each.faults) await applyFault(knobs, fault);
    }
  });

  it('plays the scenario again without a fault, and once in haste', () => {
    expect(all.slice(0, 2)).toEqual([
      { faults: [], place: 0, isHurried: false },
      { faults: [], place: 0, isHurried: true },
    ]);
  });

  it('hits each write of a step, up to the third', () => {
    expect(wordsAt(0, false)).toContain('fail (code: 500, after: 0)');
    expect(wordsAt(0, false)).not.toContain('fail (code: 500, after: 1)');
    expect(wordsAt(1, false)).toContain('slow (ms: 2000, after: 2)');
    expect(wordsAt(1, false)).not.toContain('slow (ms: 2000, after: 3)');
  });

  it('makes anew only what is there, and hides the deletion behind another fault', () => {
    const remade = 'recreate (ref: ConfigMap notes/one)';
    expect(wordsAt(0, false)).not.toContain(remade);
    expect(wordsAt(1, false)).toContain(remade);
    expect(wordsAt(2, false)).toContain(`fail (code: 500) and ${remade}`);
  });

  it('makes haste only where a step follows', () => {
    expect(wordsAt(0, true)).toContain('staleMirror (kind: Pod)');
    expect(wordsAt(1, true)).toEqual([]);
  });

  it('leaves out what is not wanted', () => {
    const some = casesFor(facts, ['duplicate', 'recreate']);
    const names = new Set(some.flatMap((each) => each.faults.map(({ name }) => name)));
    expect([...names].toSorted()).toEqual(['duplicate', 'recreate']);
  });
});
