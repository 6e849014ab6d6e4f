import { backoff } from '#shared/domain/backoff.ts';
import type { Conditions } from '#shared/ports.ts';
import type { Log } from '../log.ts';
import { pause } from '../pause.ts';
import type { Vigil } from '../vigil.ts';

/** Something that may be away for a while, which ends nothing: it is asked again until it answers. */
export type Outages = {
  /** `undefined`: the signal came first. */
  through<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined>;
  isAway(): boolean;
};

export type Watched = {
  /** As it stands in conditions and texts: `queue`. */
  readonly name: string;
  readonly conditions: Conditions;
  readonly log: Log;
  readonly random: () => number;
  /** What may be read by everybody of an error: readiness tells it. */
  readonly say?: (cause: unknown) => string;
  /** Where each try has to come back, be it with an error. */
  readonly vigil?: Pick<Vigil, 'during'>;
};

/** In milliseconds. What is back is used at once; what is not, is not asked often. */
const pauses = { first: 100, longest: 2_000 };

export function pauseMs(failures: number, random: number): number {
  return backoff(failures, pauses, random);
}

/** An outage that says something new each time would fill the log. */
const mostReasons = 5;

/** Says once that it is away, and once that it is back; and meanwhile what else is the matter, each reason once. */
export function openOutages(watched: Watched): Outages {
  const { name, conditions, log, random, say, vigil = unwatched } = watched;
  let away: boolean | undefined;
  const reasons = new Set<string>();
  const tellReason = (why: string): void => {
    if (reasons.has(why) || reasons.size >= mostReasons) return;
    reasons.add(why);
    if (away) log.warn({ condition: name, why }, 'it does not hold for another reason now');
  };
  const turn = (isAway: boolean, why: string): void => {
    // Of thousands of good answers, the first one is news.
    if (isAway || away !== false) conditions.report({ name, holds: !isAway, why });
    away = isAway;
  };
  const failed = (cause: unknown): void => {
    // The condition's line tells what may be told; only what may not is a line of its own.
    if (!away && say === undefined) {
      log.warn({ err: cause }, `the ${name} does not answer; it is asked again`);
    }
    const why = once(`the ${name} does not answer`, say?.(cause) ?? 'the log says more');
    tellReason(why);
    turn(true, why);
  };
  return {
    isAway: () => away === true,
    async through(work, signal) {
      for (let failures = 0; !signal.aborted; failures += 1) {
        try {
          const answer = await vigil.during(name, work);
          reasons.clear();
          turn(false, 'it answers');
          return answer;
        } catch (cause: unknown) {
          if (!signal.aborted) failed(cause);
        }
        await pause(pauseMs(failures, random()), signal);
      }
      return undefined;
    },
  };
}

/** What is said of a database that is away begins so itself. */
function once(what: string, more: string): string {
  return more.startsWith(what) ? more : `${what}: ${more}`;
}

const unwatched: Pick<Vigil, 'during'> = { during: (_, work) => work() };
