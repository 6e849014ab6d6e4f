import { expect, it } from 'vitest';
import { lineOf } from '#shared/runtime/worker/line.ts';
import type { Worked } from '#shared/runtime/worker/working.ts';

it('a line of a run has its times to a tenth of a millisecond', () => {
  const delivery = {
    ...{ id: '1', receipt: 'r', function: 'f', group: 'f', type: 't', body: '', eventId: 'e' },
    ...{ attempt: 0, received: 1, waitedMs: 12.3456 },
  };
  const worked: Worked = { delivery, payload: undefined, outcome: 'done', ms: 381.5569 };
  expect(lineOf(worked, new Date(0))).toMatchObject({ ms: 381.6, waitedMs: 12.3 });
});
