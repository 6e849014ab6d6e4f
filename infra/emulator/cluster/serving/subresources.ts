import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import { apiVersion } from '#shared/domain/kind.ts';
import type { FieldError, Rules, Subresource } from '../parts.ts';
import { admittingOf } from '../pipeline/admitting.ts';
import { metadataOf, textIn } from '../pipeline/metadata.ts';
import { receiving, renamed, through, unnamed, warned } from '../pipeline/steps.ts';
import { mistyped } from '../pipeline/typed.ts';
import { update } from '../pipeline/updating.ts';
import type { Draft, Write } from '../pipeline/write.ts';
import { textOf } from '../reading/view.ts';
import {
  internalError,
  invalid,
  isRefusal,
  notAllowed,
  notFound,
  type Refusal,
} from '../refusal.ts';
import type { ServedKind } from '../served-kinds.ts';
import { keyOf, objectOf, type Stored, storedFrom } from '../store/stored.ts';
import { actingOf } from './acting.ts';
import { objectIn } from './body.ts';
import { configIn, noMap, patchIn } from './patches.ts';
import { withScaleOwners, withShownOwners } from './scale-owners.ts';
import { viewOf } from './views.ts';
import { type Answer, type Asked, type World, warningHeaders } from './world.ts';
import { writeOf } from './writes.ts';

type View = Subresource & { readonly shape: 'view' };
type Action = Subresource & { readonly shape: 'action' };

/** `scale`: another kind stands for the object. */
export async function viewed(view: View, asked: Asked, world: World): Promise<Answer | Refusal> {
  const { of, route, verb } = asked;
  const { name = '', namespace, version } = route;
  const stored = of.find(keyOf(namespace, name));
  if (stored === undefined) return notFound({ ...of.kind, name });
  const show = (each: Stored) => typed(view.shown(objectOf(each, of.kind, version)), view);
  const formed = (each: Stored) => inForm(show(each), view, { asked, world });
  if (verb === 'get') {
    return unread(view, objectOf(stored, of.kind, version)) ?? { code: 200, body: formed(stored) };
  }
  if (verb !== 'update' && verb !== 'patch') return notAllowed;
  const write = writeOf(asked, world);
  if (isRefusal(write)) return write;
  const make = await makerOf(view, asked, write);
  if (isRefusal(make)) return make;
  const how = isApplied(asked) ? 'applied' : 'patched';
  const done = await update((before) => make(before, show), throughView(write, view), how);
  if (isRefusal(done)) return done;
  return { code: 200, body: formed(done.stored), headers: warningHeaders(done.warnings) ?? {} };
}

function unread(view: View, object: JsonObject): Refusal | undefined {
  const why = view.unreadable?.(object);
  return why === undefined ? undefined : internalError(why);
}

function typed(object: JsonObject, { type }: View): JsonObject {
  return { kind: type.kind, apiVersion: apiVersion(type), ...object };
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

type Maker = (before: JsonObject, show: (stored: Stored) => JsonObject) => JsonObject | Refusal;

async function makerOf(view: View, asked: Asked, write: Write): Promise<Maker | Refusal> {
  const next =
    asked.verb === 'update'
      ? await sentView(view, asked, write)
      : await patchedView(view, asked, write);
  if (isRefusal(next)) return next;
  return (before) => {
    const seen = typed(view.shown(before), view);
    const wanted = next(seen, before);
    if (isRefusal(wanted)) return wanted;
    const taken = view.taken(wanted, before);
    const name = String(metadataOf(before)['name']);
    const named = asked.of.kind.isCustom ? asked.of.kind : view.type;
    if (isList(taken as never)) return invalid({ ...named, name }, taken as readonly FieldError[]);
    const { resourceVersion } = metadataOf(wanted);
    const object = isApplied(asked)
      ? withScaleOwners(taken as JsonObject, wanted)
      : (taken as JsonObject);
    return resourceVersion === undefined
      ? object
      : { ...object, metadata: { ...metadataOf(object), resourceVersion } };
  };
}

type Next = (seen: JsonObject, before: JsonObject) => JsonObject | Refusal;

/** To the scale of a built-in kind; to one of a custom kind a configuration is merged: the real server fails there. */
function isApplied({ verb, headers, of }: Asked): boolean {
  const type = headers['content-type'] ?? '';
  return verb === 'patch' && type.includes('apply') && !of.kind.isCustom;
}

async function sentView(
  { type }: View,
  { body, headers, route }: Asked,
  write: Write,
): Promise<Next | Refusal> {
  const bytes = await body();
  if (isRefusal(bytes)) return bytes;
  const object = objectIn(bytes, headers['content-type'], type.kind);
  if (isRefusal(object)) return object;
  const wrong = mistyped(object, viewing(type, write));
  if (wrong !== undefined) return wrong;
  const { name = '' } = route;
  const stated = textIn(metadataOf(object), 'name');
  if (stated === undefined) return unnamed(name);
  return stated === name ? () => object : renamed(stated, name);
}

/** What is sent is of a type of its own, whatever it stands for. */
function viewing(type: View['type'], write: Write): Write {
  const { of, parts } = write;
  const { group, version, kind } = type;
  const viewed = { ...of.kind, group, kind, versions: [version] as const, isCustom: false };
  return { ...write, version, schema: parts.schemas.find(type), of: { ...of, kind: viewed } };
}

async function patchedView({ type }: View, asked: Asked, write: Write): Promise<Next | Refusal> {
  const { parts } = write;
  const patch = await patchIn(asked);
  if (isRefusal(patch)) return patch;
  const { contentType, value } = patch;
  const schema = parts.schemas.find(type);
  if (!contentType.includes('apply'))
    return (seen) => parts.patched(seen, value, { contentType, schema });
  if (isApplied(asked)) return appliedView(type, value ?? {}, write);
  const merge = { contentType: 'application/merge-patch+json', schema };
  return (seen) => (isJsonObject(value) ? parts.patched(seen, value, merge) : seen);
}

function appliedView(
  type: View['type'],
  value: Json,
  { parts, options, subresource, now }: Write,
): Next | Refusal {
  const config = isJsonObject(value) ? configIn(value, { type }) : noMap(value);
  if (isRefusal(config)) return config;
  const { fieldManager: manager, force } = options;
  const by = { manager, force, subresource, now, schema: parts.schemas.find(type) };
  return (seen, before) =>
    parts.applied(withShownOwners(seen, before), config, { ...by, apiVersion: apiVersion(type) });
}

/** Webhooks are shown the view, and not what it stands for. */
function throughView(write: Write, { shown, type }: View): Write {
  const { admission } = write.parts;
  const seen = (object: JsonObject | undefined) =>
    object && { kind: type.kind, apiVersion: apiVersion(type), ...shown(object) };
  const view: typeof admission = {
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
  return { ...write, parts: { ...write.parts, admission: view } };
}

/** Something happens: it is asked of admission like the making of an object. */
export async function acted(action: Action, asked: Asked, world: World): Promise<Answer | Refusal> {
  const { of, route, verb, user } = asked;
  if (verb !== action.verb) return notAllowed;
  const { name = '', namespace, version, subresource } = route;
  const write = writeOf({ ...asked, verb: 'create' }, world);
  if (isRefusal(write)) return write;
  const acting = actingOf(world, { user, dryRun: write.options.dryRun });
  const on = () => {
    const stored = of.find(keyOf(namespace, name));
    return stored && objectOf(stored, of.kind, version);
  };
  if (verb === 'get') {
    const there = on();
    if (there === undefined) return notFound({ ...of.kind, name });
    return answered(await action.act(Object.fromEntries(asked.query), there, acting), 200);
  }
  const read = await received(action, asked, { ...write, subresource });
  if (isRefusal(read)) return read;
  const admitted = await admittedAction({ ...read.object }, { ...write, subresource });
  if (isRefusal(admitted)) return warned(admitted, read.warnings);
  const there = on();
  if (there === undefined) return warned(notFound({ ...of.kind, name }), read.warnings);
  const answer = answered(await action.act(admitted, there, acting), 201);
  if (isRefusal(answer)) return warned(answer, read.warnings);
  return { ...answer, headers: { ...answer.headers, ...warningHeaders(read.warnings) } };
}

async function received(
  { type, completed }: Action,
  { body, headers }: Asked,
  write: Write,
): Promise<Draft | Refusal> {
  const bytes = await body();
  if (isRefusal(bytes)) return bytes;
  const object = objectIn(bytes, headers['content-type'], type.kind);
  if (isRefusal(object)) return object;
  const first: Draft = { object, before: undefined, warnings: [] };
  if (completed === undefined) return first;
  const rules = { ...write.rules, defaulted: completed };
  return through(receiving, first, { ...viewing(type, write), rules });
}

async function admittedAction(sent: JsonObject, write: Write): Promise<JsonObject | Refusal> {
  const what = admittingOf({ object: sent, before: undefined, warnings: [] }, write);
  const mutated = await write.parts.admission.mutate(what);
  if (isRefusal(mutated)) return mutated;
  const object = mutated.object ?? sent;
  const valid = await write.parts.admission.validate({ ...what, object });
  return isRefusal(valid) ? valid : object;
}

function answered(result: JsonObject | string | Refusal, code: number): Answer | Refusal {
  if (isRefusal(result)) return result;
  if (result === '') return { code: 204, body: '' };
  if (typeof result === 'string') {
    return { code: 200, body: result, headers: { 'content-type': 'text/plain' } };
  }
  return { code, body: result };
}

export function subresourceOf(rules: Rules, name: string): Subresource | undefined {
  return Object.hasOwn(rules.subresources, name) ? rules.subresources[name] : undefined;
}
