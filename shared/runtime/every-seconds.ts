import type { ReconcileTrigger } from '#shared/define.ts';
import { integerFrom } from '#shared/domain/decode.ts';
import { resolveConfigured, type Settings } from '#shared/domain/settings.ts';

export const period = integerFrom(1, 7 * 24 * 3_600);

/** As the settings have it now, where the trigger leaves it to them. */
export function everySecondsOf(
  { everySeconds }: ReconcileTrigger,
  settings: Settings,
): number | undefined {
  return typeof everySeconds === 'object'
    ? resolveConfigured(everySeconds, settings, period)
    : everySeconds;
}
