import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Decode, Decoded, FieldValidation, Schema } from '../parts.ts';
import { badRequest, type Refusal } from '../refusal.ts';
import { throughGo } from './decoding/built-in.ts';
import { pruned } from './decoding/custom.ts';
import { type Findings, start } from './decoding/findings.ts';

/** Marks the root of a custom kind's schema: its objects are pruned, not read into a Go type. */
export const customRoot = 'x-custom-root';
/** And whether its status has a door of its own. */
export const customStatus = 'x-custom-status';

type How = {
  readonly how: FieldValidation;
  /** What `duplicateFields` has found in the text that the object was parsed from. */
  readonly duplicates: readonly string[];
};

export const decoded: Decode = (object, schema, how) =>
  decodedWith(object, schema, { how, duplicates: [] });

export function decodedWith(
  object: JsonObject,
  schema: Schema,
  { how, duplicates }: How,
): Decoded | Refusal {
  const found: Findings = { wrong: undefined, unknown: [] };
  const read =
    schema[customRoot] === true ? pruned(object, schema, found) : typed(object, schema, found);
  if (found.wrong !== undefined) return cannotBeHandled(object, found.wrong);

  const isCustom = schema[customRoot] === true;
  // Go's reader passes over what it does not know, however often.
  const twice = isCustom ? duplicates : duplicates.filter((path) => !found.unknown.includes(path));
  const strange = [
    ...twice.map((path) => `duplicate field "${path}"`),
    ...found.unknown.map((path) => `unknown field "${path}"`),
  ];
  if (how === 'Strict' && strange.length > 0)
    return cannotBeHandled(object, `strict decoding error: ${strange.join(', ')}`);
  return { object: read, warnings: how === 'Warn' ? strange : [] };
}

function typed(object: JsonObject, schema: Schema, found: Findings): JsonObject {
  const value = throughGo(object, schema, start(found));
  return isJsonObject(value) ? value : object;
}

function cannotBeHandled({ apiVersion, kind }: JsonObject, why: string): Refusal {
  const version = String(apiVersion).replace(/^.*\//, '');
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}
