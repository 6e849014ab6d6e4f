import type { Admission, Admitting } from '../parts.ts';
import { badRequest, type Refusal } from '../refusal.ts';
import { goDuration } from './go-duration.ts';
import type { Asking } from './request.ts';
import type { World } from './world.ts';

/** What lasts as long as it lasts. */
const longRunning = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
/** Longer than the server's own limit nobody is served. */
const mostMs = 60_000;

/** For how long whoever asks wants to wait; `undefined` where nobody said, or as long as it takes. */
export function timeLimitOf({ query, route, verb }: Asking): number | undefined | Refusal {
  const stated = query.get('timeout') ?? '';
  const isLong =
    verb === 'watch' || (route.kind === 'resource' && longRunning.has(route.subresource ?? ''));
  if (stated === '' || isLong) return undefined;
  const read = goDuration(stated);
  if ('why' in read) {
    return badRequest(`invalid timeout specified in the request URL - time: ${read.why}`);
  }
  return read.ms > 0 && read.ms < mostMs ? read.ms : undefined;
}

/** When the time is over there is an answer, and what admission has not let through by then is not written. */
export function withinTime<T>(
  world: World,
  limitMs: number | undefined,
  answer: (world: World) => Promise<T>,
): Promise<T | Refusal> {
  if (limitMs === undefined) return answer(world);
  const until = performance.now() + limitMs;
  const admission = boundAdmission(world.parts.admission, until);
  return inTime(answer({ ...world, parts: { ...world.parts, admission } }), until);
}

function boundAdmission(admission: Admission, until: number): Admission {
  return {
    mutate: (what: Admitting) => inTime(admission.mutate({ ...what, until }), until),
    validate: (what: Admitting) => inTime(admission.validate({ ...what, until }), until),
  };
}

async function inTime<T>(answer: Promise<T>, until: number): Promise<T | Refusal> {
  const { promise, resolve } = Promise.withResolvers<Refusal>();
  const alarm = setTimeout(resolve, until - performance.now(), tooLate);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(alarm);
  }
}

/** The words are of a filter that knows of no kinds. */
const tooLate: Refusal = {
  code: 504,
  body: `${JSON.stringify({
    metadata: {},
    status: 'Failure',
    message: 'Timeout: request did not complete within the allotted timeout',
    reason: 'Timeout',
    details: {},
    code: 504,
  })}\n`,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
};
