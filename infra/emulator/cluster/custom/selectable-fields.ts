import type { JsonObject } from '#shared/domain/json.ts';
import { found } from './columns.ts';
import type { CustomVersion } from './definition.ts';

/** What a field selector may name beside name and namespace; a field that is not there is the empty text. */
export function selectableFields(
  object: JsonObject,
  { selectable }: CustomVersion,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    selectable.map((path) => {
      const [value] = found(object, path);
      return [path.replace(/^\./, ''), value === undefined || value === null ? '' : String(value)];
    }),
  );
}
