import { isJsonObject, isList, type Json } from '#shared/domain/json.ts';

/** Whether all that is wanted stands there; what the server and others have added does not count. */
export function isContained(wanted: Json | undefined, found: Json | undefined): boolean {
  if (isList(wanted)) {
    if (!isList(found) || found.length !== wanted.length) return false;
    return wanted.every((item, index) => isContained(item, found[index]));
  }
  if (!isJsonObject(wanted)) return wanted === found;
  if (!isJsonObject(found)) return false;
  return Object.keys(wanted).every((key) => isContained(wanted[key], found[key]));
}
