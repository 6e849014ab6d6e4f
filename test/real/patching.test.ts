import fc from 'fast-check';
import { afterAll, describe, expect, inject, it } from 'vitest';
import {
  type Judged,
  judged,
} from '#test/infra/emulator/cluster/patching/differential/against-server.ts';
import { stepsOf } from '#test/infra/emulator/cluster/patching/differential/generated.ts';
import { kinds } from '#test/infra/emulator/cluster/patching/differential/kinds.ts';
import { withNamespace } from '#test/infra/emulator/cluster/patching/differential/place.ts';
import { scenarios } from '#test/infra/emulator/cluster/patching/differential/scenarios.ts';
import type { Step } from '#test/infra/emulator/cluster/patching/differential/step.ts';

const { server, namespace } = await withNamespace(inject('kube'), `patching-${Date.now()}`);
afterAll(() => server.close());

let count = 0;

/** Each object's life is one of its own. */
async function lived(name: string, steps: readonly Step[]): Promise<readonly Judged[]> {
  const kind = kinds.find((each) => each.kind === name) ?? expect.fail(`no kind ${name}`);
  count += 1;
  return judged({ server, namespace, kind, name: `o${count}` }, steps);
}

function differences(deeds: readonly Judged[]): readonly object[] {
  return deeds
    .filter(({ verdict }) => verdict.kind === 'different')
    .map(({ step, before, verdict }) => ({ step, before, verdict }));
}

describe('patching beside a real kube-apiserver', () => {
  it.each(scenarios)('agrees on %s', async (_, kind, steps) => {
    expect(differences(await lived(kind, steps))).toEqual([]);
  });

  // Seeded, so that a failure is one for everybody; another seed is a change of this line.
  const drawn = { seed: 5, numRuns: 10 };

  it.each(kinds.map(({ kind }) => kind))('agrees on random writes of a %s', async (kind) => {
    const lives = fc.sample(stepsOf(kind), drawn);
    const deeds: Judged[] = [];
    for (const steps of lives) deeds.push(...(await lived(kind, steps)));
    expect(differences(deeds)).toEqual([]);
    const later = deeds.filter(({ verdict }) => verdict.kind === 'refused-later');
    expect(deeds.length).toBe(80);
    expect(later.length).toBeLessThan(deeds.length / 3);
  });
});
