import { applied } from '#infra/emulator/cluster/patching/applied.ts';
import { managed } from '#infra/emulator/cluster/patching/managed.ts';
import { patched } from '#infra/emulator/cluster/patching/patched.ts';
import { unstamped } from '#infra/emulator/cluster/patching/unstamped.ts';
import { isRefusal, type Refusal } from '#infra/emulator/cluster/refusal.ts';
import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';
import type { Kind } from './kinds.ts';
import { schemaOf } from './schemas.ts';
import type { Answer } from './server.ts';
import type { Step } from './step.ts';

/** A write as the real server has answered it. */
export type Deed = {
  readonly kind: Kind;
  readonly name: string;
  readonly before: JsonObject | undefined;
  readonly step: Step;
  readonly real: Answer;
  readonly asked: Date;
};

export type Done = {
  /** What the patch makes, without defaults. */
  readonly object: JsonObject;
  readonly managedFields: readonly Json[];
};

/** The same write by the functions under test; what the server puts in beside them is taken from its answer. */
export function done(deed: Deed): Done | Refusal {
  const { kind, before, step, real } = deed;
  const schema = schemaOf(kind);
  const { manager, subresource } = step;
  const by = { manager, apiVersion: kind.apiVersion, subresource, schema, now: nowOf(deed) };
  const settled = (owned: JsonObject) =>
    managedFieldsOf(before === undefined ? owned : unstamped(owned, before));
  if (step.how === 'apply') {
    const object = applied(before, sentBy(deed), { ...by, force: step.force });
    if (isRefusal(object)) return object;
    return { object, managedFields: settled(withManaged(real.body, managedFieldsOf(object))) };
  }
  const object =
    step.how === 'patch' ? patched(before ?? {}, step.patch, { ...step, schema }) : sentBy(deed);
  if (isRefusal(object)) return object;
  return { object, managedFields: settled(managed(asDecoded(real.body, object), before, by)) };
}

/** The body of an apply or an update; an update is the object that is there, with what is stated in its place. */
export function sentBy({ kind, name, before, step }: Omit<Deed, 'real' | 'asked'>): JsonObject {
  if (step.how === 'patch') return {};
  const stated = step.how === 'apply' ? step.stated : over(before ?? {}, step.stated);
  const { apiVersion } = kind;
  return { apiVersion, kind: kind.kind, ...stated, metadata: { name, ...metadataOf(stated) } };
}

/** A null removes. */
function over(before: JsonObject, stated: JsonObject): JsonObject {
  const next: { [key: string]: Json } = { ...before };
  for (const [key, value] of Object.entries(stated)) {
    const was = before[key];
    if (value === null) delete next[key];
    else next[key] = isJsonObject(value) && isJsonObject(was) ? over(was, value) : value;
  }
  return next;
}

/** What allocation and admission add, after it is known who owns what. */
const addedLater: Readonly<Record<string, readonly string[]>> = {
  Service: ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'],
  Pod: ['priority', 'preemptionPolicy', 'tolerations'],
};

/** With defaults, which are the server's, and the owners that were sent. */
function asDecoded(after: JsonObject, sent: JsonObject): JsonObject {
  const owned = withManaged(after, metadataOf(sent)['managedFields']);
  const later = addedLater[String(after['kind'])] ?? [];
  const spec = after['spec'];
  if (!isJsonObject(spec)) return owned;
  const stated = isJsonObject(sent['spec']) ? sent['spec'] : {};
  const isSent = ([key]: readonly [string, Json]) => !later.includes(key) || key in stated;
  return { ...owned, spec: Object.fromEntries(Object.entries(spec).filter(isSent)) };
}

function withManaged(object: JsonObject, entries: Json | undefined): JsonObject {
  const { managedFields: _, ...metadata } = metadataOf(object);
  return {
    ...object,
    metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries },
  };
}

/** The real server's own time, where it wrote one; else one that it did not write. */
function nowOf({ real, before, asked }: Deed): Date {
  const [is, was] = [newestIn(real.body), newestIn(before)];
  const mayBe = is === was && is !== '' && asked.getTime() - new Date(is).getTime() < 1000;
  return is > was || mayBe ? new Date(is) : asked;
}

function newestIn(object: JsonObject | undefined): string {
  return managedFieldsOf(object)
    .map((entry) => (isJsonObject(entry) ? String(entry['time'] ?? '') : ''))
    .reduce((one, other) => (one > other ? one : other), '');
}

export function metadataOf(object: JsonObject | undefined): JsonObject {
  const metadata = object?.['metadata'];
  return isJsonObject(metadata) ? metadata : {};
}

export function managedFieldsOf(object: JsonObject | undefined): readonly Json[] {
  const entries = metadataOf(object)['managedFields'];
  return isList(entries) ? entries : [];
}
