import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from './kube-api/asking.ts';
import { openCaller } from './kube-api/calling.ts';
import { type Case, type Chapter, chapters } from './kube-api/case.ts';
import { openLoopback } from './kube-api/loopback.ts';
import type { Place } from './kube-api/place.ts';
import { judged, type Ruling, rulings } from './kube-api/ruling.ts';
import { run } from './kube-api/running.ts';

type Subject = {
  readonly name: string;
  readonly open: () => Promise<Place>;
  /** `chapter: title` of the cases that the subject is known not to pass. */
  readonly differs?: ReadonlySet<string>;
};

/** An API server that has no controllers: nobody but the case writes. */
export function kubeApiContract(subject: Subject): void {
  contract(subject, { all: chapters('plain'), isControlled: false, rules: rulings() });
}

/** An API server with its controllers and the admission of service accounts. */
export function controlledContract(subject: Subject): void {
  contract(subject, { all: chapters('controlled'), isControlled: true, rules: [] });
}

type Content = {
  readonly all: readonly Chapter[];
  readonly isControlled: boolean;
  /** Functions of CEL, as rules of a definition. */
  readonly rules: readonly Ruling[];
};

function contract(
  { name, open, differs = new Set() }: Subject,
  { all, isControlled, rules }: Content,
) {
  describe(name, { concurrent: true }, () => {
    let stage: Stage;
    beforeAll(async () => {
      const place = await open();
      stage = { place, caller: openCaller(place), loopback: await openLoopback(), isControlled };
    });
    afterAll(async () => {
      stage.caller.close();
      await stage.loopback.close();
    });

    describe.each(all)('$name', ({ name: chapter, cases }) => {
      it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, one: Case) => {
        if (!differs.has(`${chapter}: ${one.title}`)) return run(stage, one);
        const place = { ...stage.place, patienceMs: 1_000 };
        const failed = await run({ ...stage, place }, one).catch((cause: unknown) => cause);
        expect(failed, 'it does as the real one now: take it off the list').toBeInstanceOf(Error);
      });
    });

    let said: Promise<ReadonlyMap<string, string>> | undefined;
    it.each(rules.map((one) => [`${one.library}: ${one.rule}`, one] as const))(
      'rules of %s',
      async (_, { rule, says }) => {
        said ??= judged(stage, rules);
        const found = (await said).get(rule);
        if (!differs.has(`rules: ${rule}`)) return expect(found).toBe(says);
        expect(found, 'it does as the real one now: take it off the list').not.toBe(says);
      },
    );
  });
}
