import type { Unsent } from '#events/sendable.ts';
import type { Log } from '../log.ts';
import { openSparing } from '../sparing.ts';

export type TellUnsent = (unsent: Unsent, of: Readonly<Record<string, string>>) => void;

/** As often as a label of their namespace changes, and as many as somebody has made: told sparingly. */
export function openTellUnsent(log: Log, now: () => number = () => performance.now()): TellUnsent {
  const spare = openSparing({ now });
  return (unsent, of) => {
    const leftOut = spare(JSON.stringify(unsent));
    if (leftOut === undefined) return;
    log.error({ ...of, ...unsent, ...leftOut }, 'a member of a set cannot be woken');
  };
}
