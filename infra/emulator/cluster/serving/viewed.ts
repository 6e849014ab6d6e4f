import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { GroupVersionKind, Subresource } from '../parts.ts';
import { metadataOf, textIn, withMetadata } from '../pipeline/metadata.ts';
import { owning, stating, through, warned } from '../pipeline/steps.ts';
import { type Make, otherUid, update } from '../pipeline/updating.ts';
import type { Draft, Write } from '../pipeline/write.ts';
import { textOf } from '../reading/view.ts';
import {
  conflict,
  internalError,
  invalid,
  isRefusal,
  notAllowed,
  notFound,
  type Refusal,
} from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import { keyOf, objectOf, type Stored, storedFrom } from '../store/stored.ts';
import { configOf, type Patch, patchIn } from './patches.ts';
import { withScaleOwners, withShownOwners } from './scale-owners.ts';
import { viewOf } from './views.ts';
import { type Answer, type Asked, type World, warningHeaders } from './world.ts';
import { objectOfBody, writeOf } from './writes.ts';

type View = Subresource & { readonly shape: 'view' };

/** `scale`: another kind stands for the object. */
export async function viewed(view: View, asked: Asked, world: World): Promise<Answer | Refusal> {
  const { of, route, verb } = asked;
  const show = (each: Stored) => shownAs(view, objectOf(each, of.kind, route.version));
  const formed = (each: Stored) => inForm(show(each), view, { asked, world });
  if (verb === 'get') return found(view, asked, formed);
  if (verb !== 'update' && verb !== 'patch') return notAllowed;
  const write = writeOf(asked, world);
  if (isRefusal(write)) return write;
  const next =
    verb === 'update'
      ? await sentView(view, asked, write)
      : patchedView(view, await patchIn(asked), write);
  if (isRefusal(next)) return next;
  const how = hasOwners(write) ? 'applied' : 'patched';
  const done = await update(makerOf(view, next, write), throughView(write, view), how);
  if (isRefusal(done)) return done;
  return { code: 200, body: formed(done.stored), headers: warningHeaders(done.warnings) ?? {} };
}

function found(
  view: View,
  { of, route }: Asked,
  formed: (stored: Stored) => JsonObject | string,
): Answer | Refusal {
  const { name = '', namespace, version } = route;
  const stored = of.find(keyOf(namespace, name));
  if (stored === undefined) return notFound({ ...of.kind, name });
  const why = view.unreadable?.(objectOf(stored, of.kind, version));
  return why === undefined ? { code: 200, body: formed(stored) } : internalError(why);
}

function shownAs({ type, shown }: View, object: JsonObject): JsonObject {
  return { kind: type.kind, apiVersion: apiVersion(type), ...shown(object) };
}

type Around = { readonly asked: Asked; readonly world: World };

/** Whole, as a table, or its metadata alone: as it is asked for. */
function inForm(object: JsonObject, { type }: View, { asked, world }: Around): JsonObject | string {
  const { group, version, kind } = type;
  const own: ServedKind = {
    ...{ group, kind, isCustom: false, namespaced: asked.of.kind.namespaced },
    ...{ resource: `${kind.toLowerCase()}s`, versions: [version] },
  };
  const view = viewOf({ ...asked, version }, own, world);
  if (view.shape.kind === 'whole') return object;
  const { resourceVersion } = metadataOf(object);
  return textOf(storedFrom(object, Number(resourceVersion)), own, view);
}

/** What the view shall be. */
type Next = (seen: JsonObject) => Draft | Refusal | Promise<Draft | Refusal>;

function makerOf(view: View, next: Next, write: Write): Make {
  return async (before) => {
    const whole = shownAs(view, before);
    const seen = hasOwners(write) ? withShownOwners(whole, before) : whole;
    const wanted = await next(seen);
    if (isRefusal(wanted)) return wanted;
    const object = taken(view, wanted.object, { before, write });
    return isRefusal(object) ? object : { object, warnings: wanted.warnings };
  };
}

/** Of a built-in kind: who writes its scale owns that, and by it the replicas. */
function hasOwners({ of }: Write): boolean {
  return !of.kind.isCustom;
}

type Taking = { readonly before: JsonObject; readonly write: Write };

function taken(view: View, wanted: JsonObject, { before, write }: Taking): JsonObject | Refusal {
  const { of, name } = write;
  const made = view.taken(wanted, before);
  if (!isJsonObject(made))
    return invalid({ ...(of.kind.isCustom ? of.kind : view.type), name }, made);
  const other = ofOtherUid(wanted, before, write);
  if (other !== undefined) return other;
  const object = hasOwners(write) ? withScaleOwners(made, wanted) : made;
  const { resourceVersion } = metadataOf(wanted);
  return resourceVersion === undefined ? object : withMetadata(object, { resourceVersion });
}

function ofOtherUid(wanted: JsonObject, before: JsonObject, write: Write): Refusal | undefined {
  const { of, name, isPatch, subresource } = write;
  const [uid, there = ''] = [wanted, before].map((each) => textIn(metadataOf(each), 'uid'));
  if (!isPatch) return otherUid({ uid: there }, wanted, { ...write, how: 'put' });
  const resource = `${of.kind.resource}/${subresource}`;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${there}`;
  return uid === undefined || uid === there
    ? undefined
    : conflict('Conflict', { ...of.kind, resource, name }, why);
}

async function sentView({ type }: View, asked: Asked, write: Write): Promise<Next | Refusal> {
  const sent = await objectOfBody(asked, type.kind);
  if (isRefusal(sent)) return sent;
  const meant = { ...viewing(type, write), duplicates: sent.duplicates };
  const draft = await stated(sent.object, meant);
  if (isRefusal(draft)) return draft;
  const { of, namespace, name } = write;
  const isThere = of.find(keyOf(namespace, name)) !== undefined;
  return isThere
    ? (seen) => through(owning, { ...draft, before: seen }, meant)
    : warned(notFound({ ...of.kind, name }), draft.warnings);
}

async function stated(object: JsonObject, write: Write): Promise<Draft | Refusal> {
  const draft = await through(stating, { object, before: undefined, warnings: [] }, write);
  return isRefusal(draft) ? draft : { ...draft, object: withoutNought(draft.object) };
}

/** Go leaves it out, and nobody owns what is not there. */
function withoutNought(object: JsonObject): JsonObject {
  const { spec } = object;
  if (!isJsonObject(spec) || spec['replicas'] !== 0) return object;
  const { replicas: _, ...others } = spec;
  return { ...object, spec: others };
}

/** What is sent is of a type of its own, whatever it stands for. */
export function viewing(type: GroupVersionKind, write: Write): Write {
  const { of, parts } = write;
  const { group, version, kind } = type;
  const viewed = { ...of.kind, group, kind, versions: [version] as const, isCustom: false };
  return { ...write, version, schema: parts.schemas.find(type), of: { ...of, kind: viewed } };
}

/** What cannot be read is told only where there is something to patch. */
function patchedView({ type }: View, patch: Patch | Refusal, write: Write): Next {
  if (isRefusal(patch)) return () => patch;
  const view = { ...viewing(type, write), patch };
  const isOwned = isApply(patch) && hasOwners(write);
  const merged = isOwned ? appliedView(patch, view) : mergedView(patch, view);
  return async (seen) => {
    const object = merged(seen);
    const draft = isRefusal(object) ? object : await stated(object, view);
    return isRefusal(draft) || isOwned ? draft : through(owning, { ...draft, before: seen }, view);
  };
}

type Merged = (seen: JsonObject) => JsonObject | Refusal;

function isApply({ contentType }: Patch): boolean {
  return contentType.includes('apply');
}

/** To one of a custom kind a configuration is merged as well: the real server fails there. */
function mergedView(patch: Patch, { parts, schema }: Write): Merged {
  const { contentType, value } = patch;
  if (!isApply(patch)) return (seen) => parts.patched(seen, value, { contentType, schema });
  const merge = { contentType: 'application/merge-patch+json', schema };
  return (seen) => (isJsonObject(value) ? parts.patched(seen, value, merge) : seen);
}

function appliedView(patch: Patch, write: Write): Merged {
  const { parts, options, subresource, now, schema, of, version } = write;
  const config = configOf(patch, write);
  const { fieldManager: manager, force } = options;
  const type = apiVersion({ group: of.kind.group, version });
  const by = { manager, force, subresource, now, schema, apiVersion: type };
  return (seen) => (isRefusal(config) ? config : parts.applied(seen, config, by));
}

/** Webhooks are shown the view, and not what it stands for. */
function throughView(write: Write, view: View): Write {
  const { admission } = write.parts;
  const seen = (object: JsonObject | undefined) => object && shownAs(view, object);
  const shown: typeof admission = {
    async mutate(what) {
      const admitted = await admission.mutate({
        ...what,
        object: seen(what.object),
        before: seen(what.before),
      });
      return isRefusal(admitted) ? admitted : { ...admitted, object: what.object };
    },
    validate: (what) =>
      admission.validate({ ...what, object: seen(what.object), before: seen(what.before) }),
  };
  return { ...write, parts: { ...write.parts, admission: shown } };
}
