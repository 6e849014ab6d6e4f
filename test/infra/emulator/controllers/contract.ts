import { describe } from 'vitest';
import { nodeCases } from './contract/nodes.ts';
import { placingCases } from './contract/placing.ts';
import { surroundingCases } from './contract/surroundings.ts';
import { workloadCases } from './contract/workloads.ts';
import { writingCases } from './contract/writing.ts';
import { kitFor, type Stage } from './kit.ts';

/** For machines that have much else to do. */
const patiently = { timeout: 60_000 };

/** What whoever speaks with the API server sees of the controllers: the same on a real server and on the emulated one. */
export function controllersContract(whose: string, stage: Stage): void {
  const kit = kitFor(stage);
  // Each case has a namespace of its own, and all wait most of the time.
  describe.concurrent(whose, patiently, () => {
    workloadCases(kit);
    surroundingCases(kit);
    placingCases(kit);
    writingCases(kit, stage.login);
  });
  describe(`${whose}, alone`, patiently, () => nodeCases(kit));
}
