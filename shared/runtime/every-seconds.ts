import type { ReconcileTrigger } from '#shared/define.ts';
import { resolveConfigured, type Settings } from '#shared/domain/settings.ts';

/** As the settings have it now, where the trigger leaves it to them. */
export function everySecondsOf(
  { everySeconds }: ReconcileTrigger,
  settings: Settings,
): number | undefined {
  return typeof everySeconds === 'object'
    ? resolveConfigured(everySeconds, settings)
    : everySeconds;
}
