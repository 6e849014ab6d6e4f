import { describe, expect, it } from 'vitest';
import { everyFault, faultReport } from '#infra/emulator/world/every-fault/every-fault.ts';
import type { Scenario } from '#infra/emulator/world/every-fault/scenario.ts';
import type { Knobs } from '#infra/emulator/world/faults/knobs.ts';
import { defineReconcile } from '#shared/define.ts';
import { configMaps } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import { mistakes, note, scenarioOf } from './mistakes.ts';

/** By what each mistake is found alone; `nothing` where playing it again is enough. */
const foundBy: Readonly<Record<string, readonly (keyof Knobs | 'nothing')[]>> = {
  'copy-unseen': ['fail'],
  'count-changes': ['duplicate', 'killAfterHandler', 'fail'],
  'release-by-name': ['fail'],
  'stamp-note': ['conflict'],
  'sum-notes': ['slow'],
  'evict-orphans': ['staleMirror'],
  'leave-room': ['restartAll'],
  'stamp-once': ['nothing'],
  'open-ticket': ['nothing'],
  'list-names': ['duplicate'],
};

/** The mistake: whatever fails has been done. */
const hasty = defineReconcile({
  name: 'copy-once',
  capability: 'samples',
  trigger: { watch: { of: configMaps, namespace: 'notes' } },
  uses: ['cluster'],
  access: [{ kind: configMaps, verbs: ['get', 'create'] }],
  deadlineMs: 5_000,
  async handler(wake, { cluster }) {
    if (wake.kind === 'period' || wake.deleted) return done;
    const found = await cluster.find({ ...wake, kind: configMaps }).catch(() => undefined);
    if (found === undefined) return done;
    const metadata = { namespace: 'copies', name: wake.name };
    const copy = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    await cluster.create(configMaps, copy).catch(() => undefined);
    return done;
  },
});

describe('everyFault', () => {
  it.each(mistakes)('finds the function that %s: %s', async (_, name) => {
    for (const fault of foundBy[name] ?? []) {
      const faults = fault === 'nothing' ? [] : [fault];
      const { findings } = await faultReport({ ...scenarioOf(name, ''), faults, enough: 1 });
      expect(findings[0]?.faults.map((each) => each.name)).toEqual(faults);
    }
  });

  it.each(mistakes)('passes the twin of the function that %s: %s', async (_, name) => {
    const { cases, text } = await everyFault(scenarioOf(name, 'mended/'));
    expect(cases).toBeGreaterThan(30);
    expect(text).toBe(`the same end in all ${cases} cases`);
  });

  it('names the fault, its place and the difference', async () => {
    const scenario = { ...scenarioOf('list-names', ''), faults: ['duplicate'] as const };
    await expect(everyFault(scenario)).rejects.toThrow(
      /^duplicate, before "two notes are made":\n[\s\S]*- {4}names: one two\n {4}\+ {4}names: one one two/m,
    );
  });

  it('says that a function reads dice or a clock of its own', async () => {
    await expect(everyFault({ ...scenarioOf('open-ticket', ''), enough: 1 })).rejects.toThrow(
      /played once more\. Does a function read a clock or dice of its own/,
    );
  });

  it('tells what ends alike once, and blames no fault for what haste alone does', async () => {
    const text = (name: string) => `ConfigMap notes/${name}`;
    const { text: told, findings } = await faultReport({
      functions: [hasty],
      steps: {
        'a note is made': (world) => world.apply(note('one')),
        'it goes': (world) => world.delete(text('one')),
      },
      enough: 2,
    });
    const haste = findings.filter(({ isHurried }) => isHurried);
    expect(haste.map(({ faults }) => faults)).toEqual([[]]);
    expect(findings.length).toBeGreaterThan(2);
    expect(told.match(/^ {4}-ConfigMap copies\/one:/gm)).toHaveLength(1);
    expect(told).toMatch(
      /the same end by\n {2}fail \(verb: get, code: 500\), before "a note is made"/,
    );
  });

  it('refuses a scenario that does not end without faults either', async () => {
    const { functions } = scenarioOf('stamp-note', '');
    const steps = { 'a note is bad': () => Promise.reject(new Error('no such note')) };
    await expect(everyFault({ functions, steps })).rejects.toThrow(
      'without any fault the scenario does not end: no such note',
    );
  });

  it('leaves out what need not be the same', async () => {
    const scenario = scenarioOf('count-changes', '');
    const compare = (object: KubeObject) =>
      object.metadata.namespace === 'tallies' ? undefined : object;
    expect((await everyFault({ ...scenario, compare })).findings).toEqual([]);
  });

  it('plays every case in a world where nothing runs as well', async () => {
    const steps: Scenario['steps'] = { 'a note is made': (world) => world.apply(note('one')) };
    expect((await everyFault({ functions: [], steps })).cases).toBeGreaterThan(10);
  });
});
