import { sha256 } from '../sha-256.ts';
import type { RestartSettings } from './restart-settings.ts';

/** How long after this pod the next one may go. Of the pod alone, so that every replica says the same. */
export function pauseMs(uid: string, { perMinute, jitterPercent }: RestartSettings): number {
  const fraction = Number.parseInt(sha256(uid).slice(0, 8), 16) / 2 ** 32;
  return Math.ceil((60_000 / perMinute) * (1 + (jitterPercent / 100) * fraction));
}

/** A budget that holds a pod for long is asked ever less often. */
export function busyMs(askedSeconds: number, triedForMs: number): number {
  return Math.max(10_000, askedSeconds * 1_000, triedForMs / 10);
}
