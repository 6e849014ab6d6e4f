import type { ImageTrustSettings } from '#shared/domain/image-trust/settings.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Settings } from '#shared/domain/settings.ts';

type Level = Settings['log']['level'];

type Heard = { readonly level: Level; readonly warnings: readonly string[] };

/** Warden's `logging` decides what `log` leaves out; `stated` is what of it somebody has written. */
export function heardFrom(
  logging: ImageTrustSettings['logging'],
  { level, format }: JsonObject,
  log: { readonly level: Level; readonly isStated: boolean },
): Heard {
  const asked = level === undefined ? log.level : ownWord(logging.level);
  const isOther = log.isStated && asked !== log.level;
  const warnings = [
    ...(isOther ? [`logging.level: not used; log.level decides, which is ${log.level}`] : []),
    ...(format === 'text' ? ['logging.format: not used; what is logged is JSON'] : []),
  ];
  return { level: isOther ? log.level : asked, warnings };
}

/** Nothing of ours is worse than an error. */
function ownWord(level: ImageTrustSettings['logging']['level']): Level {
  return level === 'fatal' ? 'error' : level;
}

/** Of what a file says, before the defaults hide it. */
export function sectionIn(file: unknown, ...path: readonly string[]): JsonObject {
  const found = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), file);
  return isJsonObject(found) ? found : {};
}
