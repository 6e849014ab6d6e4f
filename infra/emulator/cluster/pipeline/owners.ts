import { isJsonObject, isList, type Json, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { metadataOf, withMetadata } from './metadata.ts';

/** `undefined` where nothing is to be done, as nearly always. */
export function repeatedOwners(
  object: JsonObject,
): { readonly object: JsonObject; readonly warning: string } | undefined {
  const { ownerReferences } = metadataOf(object);
  if (!isList(ownerReferences) || ownerReferences.length < 2) return undefined;
  const isFirst = (owner: Json, at: number) =>
    ownerReferences.findIndex((each) => sameJson(each, owner)) === at;
  const once = ownerReferences.filter(isFirst);
  if (once.length === ownerReferences.length) return undefined;
  const repeated = ownerReferences.filter((owner, at) => !isFirst(owner, at));
  const again = repeated.map((owner) => (isJsonObject(owner) ? owner['uid'] : '')).join(', ');
  return { object: withMetadata(object, { ownerReferences: once }), warning: warningOf(again) };
}

function warningOf(uids: string): string {
  const what = '.metadata.ownerReferences contains duplicate entries';
  const then =
    'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24';
  return `${what}; ${then}; please fix your requests; duplicate UID(s) observed: ${uids}`;
}
