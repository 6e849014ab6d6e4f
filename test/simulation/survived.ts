import { setImmediate as turn } from 'node:timers/promises';
import { type Asked, type Outcome, play } from './schedule.ts';
import type { Broken } from './sentence.ts';

/** One schedule, which is broken by whatever is thrown in it or goes astray: its seed has to be named. */
export async function survived(asked: Asked): Promise<Outcome> {
  const strays: unknown[] = [];
  const take = (cause: unknown) => void strays.push(cause);
  process.on('unhandledRejection', take);
  const outcome = await play(asked).catch((cause: unknown) => failed(asked, cause));
  // Schedules never leave the microtasks, and only between two turns does anybody look for what nobody has caught.
  await turn();
  process.off('unhandledRejection', take);
  const [stray] = strays;
  return strays.length === 0
    ? outcome
    : { ...outcome, broken: outcome.broken ?? brokenBy('astray', stray) };
}

function failed({ seed }: Asked, cause: unknown): Outcome {
  const broken = brokenBy('thrown', cause);
  return { seed, steps: 0, broken, faults: new Map(), said: [] };
}

export function brokenBy(how: 'astray' | 'thrown', cause: unknown): Broken {
  const what = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return { sentence: 'quiet', how: `${how}: ${what}` };
}
