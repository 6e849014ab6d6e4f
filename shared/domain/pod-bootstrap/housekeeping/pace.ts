import { sha256 } from '../sha-256.ts';
import type { RestartSettings } from './restart-settings.ts';

/** How long after this pod the next one may go. Of the pod alone, so that every replica says the same. */
export function pauseMs(uid: string, { perMinute, jitterPercent }: RestartSettings): number {
  const fraction = Number.parseInt(sha256(uid).slice(0, 8), 16) / 2 ** 32;
  return Math.ceil((60_000 / perMinute) * (1 + (jitterPercent / 100) * fraction));
}

/** How the line stands, from now on; what is past is below nothing. */
export type Line = {
  /** One's own turn, once it is drawn. */
  readonly turnInMs: number | undefined;
  /** When somebody may go for whom no turn is kept, by those who went. */
  readonly freeInMs: number;
  /** The last turn that another one has drawn. */
  readonly endsInMs: number | undefined;
};

/** Wake-ups are of whole seconds, and workers are busy: who comes no later than this comes in time. */
const punctualMs = 2_000;

export function isKept(turnInMs: number | undefined): turnInMs is number {
  return turnInMs !== undefined && turnInMs >= -punctualMs;
}

/**
 * How long until one may go. A turn that has passed, for something was in the way, is worth nothing: many have passed by
 * then. It is made up for where nobody has just gone, or drawn anew.
 */
export function waitIn({ turnInMs, freeInMs, endsInMs }: Line, pauseMs: number): number {
  if (isKept(turnInMs)) return Math.max(0, turnInMs);
  if (freeInMs <= 0) return 0;
  return Math.max(freeInMs, endsInMs === undefined ? 0 : endsInMs + pauseMs);
}

/** A budget that holds a pod for long is asked ever less often. */
export function busyMs(askedSeconds: number, triedForMs: number): number {
  return Math.max(10_000, askedSeconds * 1_000, triedForMs / 10);
}
