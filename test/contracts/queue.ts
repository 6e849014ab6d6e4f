import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { batchCases } from './queue/batches.ts';
import { bodyCases, refusedCases } from './queue/bodies.ts';
import { crashCases } from './queue/crashes.ts';
import { deadCases } from './queue/dead.ts';
import { endingCases } from './queue/endings.ts';
import { extensionCases } from './queue/extension.ts';
import { fairnessCases } from './queue/fairness.ts';
import { mergingCases } from './queue/merging.ts';
import { orderCases } from './queue/order.ts';
import { overviewCases } from './queue/overview.ts';
import { redriveCases } from './queue/redrive.ts';
import {
  type Ability,
  type Case,
  type QueueUnderTest,
  type Stage,
  stageOn,
} from './queue/stage.ts';
import { transactionCases } from './queue/transactions.ts';
import { waitingCases } from './queue/waiting.ts';

export const themes: Readonly<Record<string, readonly Case[]>> = {
  order: orderCases,
  fairness: fairnessCases,
  endings: endingCases,
  extension: extensionCases,
  waiting: waitingCases,
  batches: batchCases,
  bodies: bodyCases,
  refusals: refusedCases,
  merging: mergingCases,
  transactions: transactionCases,
  crashes: crashCases,
  'dead letters': deadCases,
  redrive: redriveCases,
  overview: overviewCases,
};

/** What an adapter cannot do, and why. */
export type Lacks = Partial<Readonly<Record<Ability, string>>>;

/** What `events/queue.ts` promises, whatever stands behind it. */
export function queueContract(
  name: string,
  open: () => Promise<QueueUnderTest>,
  lacks: Lacks = {},
): void {
  describe(name, () => {
    const had = Object.entries(themes).map(([theme, cases]) => {
      return [theme, cases.filter((each) => lackOf(each, lacks) === undefined)] as const;
    });
    describe.each(had.filter(([, cases]) => cases.length > 0))('%s', (_, cases) => {
      runAll(cases, open);
    });
    it('lacks nothing that no case asks for', () => {
      const cases = Object.values(themes).flat();
      const lacking = new Set(cases.map((each) => lackOf(each, lacks)));
      lacking.delete(undefined);
      expect([...lacking].toSorted()).toEqual(Object.keys(lacks).toSorted());
    });
  });
}

/** The first ability that is missing for it. */
function lackOf({ needs = [] }: Case, lacks: Lacks): Ability | undefined {
  return needs.find((ability) => ability in lacks);
}

function runAll(cases: readonly Case[], open: () => Promise<QueueUnderTest>): void {
  let stage: Stage;
  beforeEach(async () => {
    stage = stageOn(await open());
  });
  afterEach(() => stage.end?.());

  // Vitest cuts what `$title` stands for.
  it.each(cases.map((each) => [each.title, each.run] as const))('%s', (_, run) => run(stage));
}
