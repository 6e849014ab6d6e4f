import type { AdmissionFunction, OnFailure } from '#shared/define.ts';
import { choice } from '#shared/domain/decode.ts';
import { resolveConfigured, type Settings } from '#shared/domain/settings.ts';

export const failureAnswer = choice('allow-with-warning', 'deny');

/** As the settings have it now, where the definition leaves it to them. */
export function onFailureOf(
  { onFailure }: Pick<AdmissionFunction, 'onFailure'>,
  settings: Settings,
): OnFailure {
  return typeof onFailure === 'string'
    ? onFailure
    : resolveConfigured(onFailure, settings, failureAnswer);
}
