import { sha256 } from '../sha-256.ts';
import type { RestartSettings } from './restart-settings.ts';

/**
 * Wake-ups are of whole seconds, and workers are busy: what nobody has used is kept for so long, and then for others.
 */
export const keptMs = 3_000;

/**
 * How long after this pod the next one may go. Of the pod alone, so that every replica says the same. What is made up for
 * within a minute is taken off beforehand, or that minute would have more than the rate.
 */
export function pauseMs(uid: string, { perMinute, jitterPercent }: RestartSettings): number {
  const fraction = Number.parseInt(sha256(uid).slice(0, 8), 16) / 2 ** 32;
  const longer = Math.max(keptMs / 60_000, (jitterPercent / 100) * fraction);
  return Math.ceil((60_000 / perMinute) * (1 + longer));
}

/** How the line stands, from now on; what is past is below nothing. */
export type Line = {
  /** One's own turn, once it is drawn. */
  readonly turnInMs: number | undefined;
  /** When the next one may go, by those who went. */
  readonly freeInMs: number;
  /** The last turn that another one has drawn. */
  readonly endsInMs: number | undefined;
  /** How many others may come any moment, for their turns have come and are kept. */
  readonly due: number;
};

export function isKept(turnInMs: number | undefined): turnInMs is number {
  return turnInMs !== undefined && turnInMs >= -keptMs;
}

/** From how far back turns are made up for: only while somebody stands in line, or idle times would end in a burst. */
export function madeUpMs({ turnInMs, endsInMs }: Line): number {
  return isKept(turnInMs) || isKept(endsInMs) ? keptMs : 0;
}

/** Whose turn is not kept may use what is left by those whose is; else it draws one behind all others. */
export function waitIn(line: Line, pauseMs: number): number {
  const { turnInMs, freeInMs, endsInMs, due } = line;
  if (isKept(turnInMs)) return Math.max(0, turnInMs, freeInMs);
  const leftInMs = Math.max(freeInMs, -madeUpMs(line)) + due * pauseMs;
  if (leftInMs <= 0) return 0;
  return Math.max(leftInMs, endsInMs === undefined ? 0 : endsInMs + pauseMs);
}

/** A budget that holds a pod for long is asked ever less often. */
export function busyMs(askedSeconds: number, triedForMs: number): number {
  return Math.max(10_000, askedSeconds * 1_000, triedForMs / 10);
}
