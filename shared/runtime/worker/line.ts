import type { Happening } from '../happening.ts';
import { tenths } from '../tenths.ts';
import type { Worked } from './working.ts';

/** What became of a message, as those see it who look on. */
export function lineOf({ delivery, payload, outcome, why, ms }: Worked, now: Date): Happening {
  const { function: name, eventId, waitedMs, attempt } = delivery;
  return {
    kind: 'run',
    at: now.toISOString(),
    function: name,
    ...objectOf(payload),
    eventId,
    outcome,
    ...(why === undefined ? {} : { why }),
    ms: tenths(ms),
    waitedMs: tenths(waitedMs),
    attempt,
  };
}

/** A set is named by its namespace, and no object. */
function objectOf(payload: Worked['payload']) {
  if (payload === undefined || payload.kind === 'period') return {};
  const { cluster, group, resource, namespace } = payload;
  const { name, uid } = payload.kind === 'object' ? payload : { name: '', uid: '' };
  return { object: { cluster, group, resource, namespace, name, uid } };
}
