import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from './kube-api/asking.ts';
import { openCaller } from './kube-api/calling.ts';
import { type Case, type Chapter, chapters } from './kube-api/case.ts';
import { openLoopback } from './kube-api/loopback.ts';
import type { Place } from './kube-api/place.ts';
import { run } from './kube-api/running.ts';

type Subject = {
  readonly name: string;
  readonly open: () => Promise<Place>;
  /** `chapter: title` of the cases that the subject is known not to pass. */
  readonly differs?: ReadonlySet<string>;
};

/** An API server that has no controllers: nobody but the case writes. */
export function kubeApiContract(subject: Subject): void {
  contract(subject, { all: chapters('plain'), isControlled: false });
}

/** An API server with its controllers and the admission of service accounts. */
export function controlledContract(subject: Subject): void {
  contract(subject, { all: chapters('controlled'), isControlled: true });
}

type Content = { readonly all: readonly Chapter[]; readonly isControlled: boolean };

function contract({ name, open, differs = new Set() }: Subject, { all, isControlled }: Content) {
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
  });
}
