import { sha256 } from '../sha-256.ts';
import type { RestartSettings } from './restart-settings.ts';

/** How long after this pod the next one may go. Of the pod alone, so that every replica says the same. */
export function pauseMs(uid: string, { perMinute, jitterPercent }: RestartSettings): number {
  const fraction = Number.parseInt(sha256(uid).slice(0, 8), 16) / 2 ** 32;
  return Math.ceil((60_000 / perMinute) * (1 + (jitterPercent / 100) * fraction));
}
