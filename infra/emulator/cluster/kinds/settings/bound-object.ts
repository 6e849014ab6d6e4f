import type { JsonObject } from '#shared/domain/json.ts';
import type { Acting } from '../../parts.ts';
import { badRequest, notFound, type Refusal, refusal } from '../../refusal.ts';
import { metadataOf, specOf, textOf } from '../words/edit.ts';

const plurals: Readonly<Record<string, string>> = { Pod: 'pods', Node: 'nodes', Secret: 'secrets' };

/** A token may die with an object: one that is there, and for a pod one of that account. */
export function unbound(
  request: JsonObject,
  account: JsonObject,
  { find }: Acting,
): Refusal | undefined {
  const ref = specOf(request)['boundObjectRef'];
  if (ref === undefined || ref === null) return undefined;
  const stated = specOf({ spec: ref });
  const [kind, name] = [textOf(stated, 'kind'), textOf(stated, 'name')];
  // The group counts, and no version of it.
  const resource = textOf(stated, 'apiVersion').includes('/') ? undefined : plurals[kind];
  if (resource === undefined)
    return badRequest(`cannot bind token to object of type ${shown(stated)}`);
  const { namespace, name: own } = metadataOf(account);
  const place = resource === 'nodes' ? { name } : { namespace: String(namespace), name };
  const found = find(resource, place);
  if (found === undefined) return notFound({ group: '', resource, name });
  if (kind === 'Pod' && specOf(found)['serviceAccountName'] !== own) {
    return badRequest(
      `cannot bind token for serviceaccount "${own}" to pod running with different serviceaccount name.`,
    );
  }
  return otherUid(stated, found);
}

function shown(ref: JsonObject): string {
  const [group, version] = splitVersion(textOf(ref, 'apiVersion'));
  return `${group}/${version}, Kind=${textOf(ref, 'kind')}`;
}

function splitVersion(apiVersion: string): readonly [string, string] {
  const at = apiVersion.indexOf('/');
  return at === -1 ? ['', apiVersion] : [apiVersion.slice(0, at), apiVersion.slice(at + 1)];
}

function otherUid(ref: JsonObject, found: JsonObject): Refusal | undefined {
  const [uid, name, kind] = [textOf(ref, 'uid'), textOf(ref, 'name'), textOf(ref, 'kind')];
  if (uid === '' || uid === metadataOf(found)['uid']) return undefined;
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  return refusal(409, {
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${kind} "${name}": ${why}`,
    details: { name, kind },
  });
}
