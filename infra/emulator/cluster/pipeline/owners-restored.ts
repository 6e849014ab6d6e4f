import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { managedFieldsOf, ownersSent } from '../patching/owners.ts';
import { withMetadata } from './metadata.ts';

type Restored = { readonly object: JsonObject; readonly warnings: readonly string[] };

/** A webhook that knows nothing of owners may break them: then they are as before. */
export function withOwnersRestored(object: JsonObject, before: JsonObject): Restored {
  const [entries, own] = [managedFieldsOf(object), managedFieldsOf(before)];
  if (object === before || sameJson(entries, own)) return { object, warnings: [] };
  const owners = ownersSent(entries);
  if (!('misread' in owners)) return { object, warnings: [] };
  const restored = withMetadata(object, { managedFields: own });
  return { object: restored, warnings: [warningOf(owners.misread)] };
}

function warningOf(why: string): string {
  return `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${why}`;
}
