import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { Conversion } from '../pipeline/conversion.ts';
import { create } from '../pipeline/creating.ts';
import { deleteOptionsOf } from '../pipeline/delete-options.ts';
import { type Deletion, type Gone, remove, warningsOf } from '../pipeline/deleting.ts';
import { unkeyable } from '../pipeline/key-name.ts';
import { withMetadata } from '../pipeline/metadata.ts';
import { writeOptionsOf } from '../pipeline/options.ts';
import { mistyped } from '../pipeline/typed.ts';
import { made, misstated, otherUid, update } from '../pipeline/updating.ts';
import type { Done, Write } from '../pipeline/write.ts';
import { pageOf, textOfPage } from '../reading/listing.ts';
import { isNarrowing, selecting } from '../reading/selecting.ts';
import { textOf } from '../reading/view.ts';
import { isRefusal, notFound, type Refusal } from '../refusal.ts';
import { duplicateFields } from '../schemas/decoding/duplicate-fields.ts';
import { idOf } from '../served-kinds.ts';
import { keyOf, type Stored } from '../store/stored.ts';
import { objectIn, unreadable } from './body.ts';
import { mayCreate } from './permitting.ts';
import { viewOf } from './views.ts';
import { type Answer, type Asked, type World, warningHeaders } from './world.ts';

/** What a write is of, before its body is read. */
export function writeOf(asked: Asked, world: World): Write | Refusal {
  const { of, route, query, userAgent, user, verb, headers } = asked;
  const isApply = verb === 'patch' && /apply-patch/.test(headers['content-type'] ?? '');
  const kind = verb === 'create' || verb === 'patch' ? verb : 'update';
  const options = writeOptionsOf({ verb: kind, query, userAgent, isApply });
  if (isRefusal(options)) return options;
  const { version, namespace, name = '', subresource } = route;
  const { parts, store, now } = world;
  const rules = parts.rulesOf(of.kind, version);
  const part = subresource === undefined ? undefined : rules.subresources[subresource];
  return {
    ...{ store, parts, of, version, namespace, name, subresource, rules, options, user },
    ...{ duplicates: [], isPatch: verb === 'patch' },
    conversion: world.conversionOf?.(of.kind, version),
    part: part?.shape === 'part' ? part : undefined,
    schema: parts.schemas.find({ group: of.kind.group, version, kind: of.kind.kind }),
    now: now(),
  };
}

export async function posted(asked: Asked, world: World): Promise<Answer | Refusal> {
  const unread = unreadable(asked.headers['content-type']);
  if (unread !== undefined) return unread;
  const write = writeOf(asked, world);
  if (isRefusal(write)) return write;
  const sent = await objectOfBody(asked);
  if (isRefusal(sent)) return sent;
  const { object, duplicates } = sent;
  return shown(await create(object, { ...write, duplicates }), asked, world);
}

/** Kinds of which a PUT makes what is not there. */
const madeByPut = new Set([
  ...['leases.coordination.k8s.io', 'endpoints', 'limitranges', 'services', 'events'],
  ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(
    (resource) => `${resource}.rbac.authorization.k8s.io`,
  ),
  ...['events.events.k8s.io', 'runtimeclasses.node.k8s.io'],
]);

export async function put(asked: Asked, world: World): Promise<Answer | Refusal> {
  const write = writeOf(asked, world);
  if (isRefusal(write)) return write;
  const sent = await objectOfBody(asked);
  if (isRefusal(sent)) return sent;
  const { object, duplicates } = sent;
  const wrong = mistyped(object, write);
  if (wrong !== undefined) return wrong;
  const { of, namespace, name } = write;
  const isNew = of.find(keyOf(namespace, name)) === undefined;
  if (isNew && madeByPut.has(idOf(of.kind)) && write.subresource === undefined) {
    const no =
      (await misstated(object, write)) ??
      unkeyable(name) ??
      mayCreate(asked, world) ??
      otherUid(undefined, object, { ...write, how: 'put' });
    const first = withMetadata(object, { resourceVersion: undefined });
    return no ?? shown(await create(first, { ...write, duplicates }), asked, world);
  }
  return shown(await update(() => made(object), { ...write, duplicates }, 'put'), asked, world);
}

type Sent = { readonly object: JsonObject; readonly duplicates: readonly string[] };

export async function objectOfBody(
  { body, headers, of, query }: Asked,
  kind = of.kind.kind,
): Promise<Sent | Refusal> {
  const bytes = await body();
  if (isRefusal(bytes)) return bytes;
  const type = headers['content-type'] ?? '';
  const object = objectIn(bytes, type, kind);
  if (isRefusal(object)) return object;
  // Nobody is told where nobody wants to know; and other forms than JSON know no such thing.
  const isTold = query.get('fieldValidation') !== 'Ignore' && !/yaml|protobuf/.test(type);
  return { object, duplicates: isTold ? duplicateFields(bytes.toString()) : [] };
}

export async function shown(
  done: Done | Refusal,
  asked: Asked,
  world: World,
): Promise<Answer | Refusal> {
  if (isRefusal(done)) return done;
  const { of, route } = asked;
  const view = viewOf({ ...asked, version: route.version }, of.kind, world);
  const conversion = world.conversionOf?.(of.kind, route.version);
  const [stored = done.stored] =
    conversion === undefined ? [] : await orAsItIs(conversion, done.stored);
  const body = textOf(stored, of.kind, view);
  return { code: done.code, body, headers: warningHeaders(done.warnings) ?? {} };
}

/** It is written: that it cannot be shown is no reason to say that it was not. */
async function orAsItIs(conversion: Conversion, stored: Stored): Promise<readonly Stored[]> {
  const made = await conversion.shown([stored]);
  return isRefusal(made) ? [stored] : made;
}

/** Kinds that answer a deletion with what is gone. */
const shownWhenGone = new Set([
  ...['pods', 'services', 'serviceaccounts', 'podtemplates', 'resourcequotas'],
  ...['persistentvolumes', 'persistentvolumeclaims', 'storageclasses.storage.k8s.io'],
]);

export async function deleted(asked: Asked, world: World): Promise<Answer | Refusal> {
  const deletion = await deletionOf(asked, world);
  if (isRefusal(deletion)) return deletion;
  const gone = await remove(deletion);
  if (isRefusal(gone)) return gone;
  const headers = warningHeaders(gone.warnings) ?? {};
  const isShown = !gone.isGone || shownWhenGone.has(idOf(asked.of.kind));
  if (!isShown) return { code: 200, body: success(gone, asked), headers };
  const answer = await shown({ ...gone, code: 200 }, asked, world);
  const isLater = !gone.isGone && deletion.how.stated['orphanDependents'] === false;
  return isLater ? { ...answer, code: 202 } : answer;
}

export async function deletionOf(asked: Asked, world: World): Promise<Deletion | Refusal> {
  const { of, route, user, query, headers } = asked;
  const bytes = await asked.body();
  if (isRefusal(bytes)) return bytes;
  const body = bytes.length === 0 ? {} : objectIn(bytes, headers['content-type'], 'DeleteOptions');
  if (isRefusal(body)) return body;
  const how = deleteOptionsOf(isJsonObject(body) ? body : {}, query);
  if (isRefusal(how)) return how;
  const { version, namespace, name = '', subresource } = route;
  const { store, parts, now } = world;
  const rules = parts.rulesOf(of.kind, version);
  const conversion = world.conversionOf?.(of.kind, version);
  return {
    ...{ store, parts, of, version, namespace, name, subresource, rules, user, how },
    ...{ conversion, now: now() },
  };
}

export function success({ stored }: Gone, { of: { kind } }: Pick<Asked, 'of'>): JsonObject {
  const { name, uid } = stored;
  const group = kind.group === '' ? {} : { group: kind.group };
  const details = { name, ...group, kind: kind.resource, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** One by one, as they stood when it began. */
export async function deletedAll(asked: Asked, world: World): Promise<Answer | Refusal> {
  const { of, query, route } = asked;
  const deletion = await deletionOf(asked, world);
  if (isRefusal(deletion)) return deletion;
  const selects = selecting({ kind: of.kind, namespace: route.namespace, query });
  if (isRefusal(selects)) return selects;
  const revision = world.around.revision();
  const options = { past: { kind: 'latest' }, limit: 0, continue: undefined } as const;
  const { namespace } = route;
  const page = pageOf({
    ...{ of, namespace, selects, revision, options, isNarrowed: isNarrowing(query) },
  });
  if (isRefusal(page)) return page;
  const view = viewOf({ ...asked, version: route.version }, of.kind, world);
  const objects = await (deletion.conversion?.shown(page.objects) ?? page.objects);
  if (isRefusal(objects)) return objects;
  const body = [...textOfPage({ ...page, objects }, of.kind, view)].join('');
  const warnings = await removedAll(page.objects, deletion);
  if (isRefusal(warnings)) return warnings;
  return { code: 200, body, headers: warningHeaders(warnings) ?? {} };
}

/** What was said of any of them, each once. */
async function removedAll(
  all: readonly Stored[],
  deletion: Deletion,
): Promise<readonly string[] | Refusal> {
  const warnings = new Set(warningsOf(deletion));
  for (const { name, namespace } of all) {
    const gone = await remove({ ...deletion, name, namespace: namespace || undefined });
    if (!isRefusal(gone)) for (const each of gone.warnings) warnings.add(each);
    else if (gone.code !== notFound({ ...deletion.of.kind, name }).code) return gone;
  }
  return [...warnings];
}
