import { isDeepStrictEqual } from 'node:util';
import { matchesFields, parseFieldSelector } from '#shared/domain/field-selector.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import { parsePointer, valueAt } from '#shared/domain/json-pointer.ts';
import type { Kind } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { parseApiVersion } from '#shared/domain/reference.ts';
import { matchesLabels } from '#shared/domain/selector.ts';
import type { Change, Watch } from '#shared/domain/watch.ts';
import { objectMessage, setMessage } from '../messages.ts';
import type { Outgoing } from '../queue.ts';
import type { Subscription } from './followed.ts';

/** One event of one object: its state before, and after or at its end. Nothing else decides whom it wakes. */
export type Happened = {
  readonly type: Change;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** `uid/resourceVersion/type` */
  readonly eventId: string;
};

/** The messages that one event makes for one subscription. */
export function wakesOf(
  happened: Happened,
  { function: name, watch }: Subscription,
  cluster: string,
): readonly Outgoing[] {
  if (!concerns(watch, happened)) return [];
  const { eventId } = happened;
  const from = { function: name, cluster, eventId };
  const { wakes } = watch;
  if (wakes === undefined) {
    const { namespace, uid, type } = happened;
    const at = { namespace, name: happened.name, uid, deleted: type === 'deleted' };
    return [objectMessage(from, watch.of, at)];
  }
  if ('owner' in wakes) {
    return ownersOf(happened, wakes.owner).map((at) => objectMessage(from, wakes.owner, at));
  }
  const namespace = wakes.all.namespaced ? setOf(watch.of, happened) : '';
  return [setMessage(from, wakes.all, { namespace, after: '' })];
}

export function concerns(watch: Watch, happened: Happened): boolean {
  return (
    isAt(watch, happened) &&
    matchesEither(watch, happened) &&
    isAwaited(watch, happened) &&
    isChanged(watch, happened)
  );
}

/** Whom a change wakes may depend on what was before it. */
export function comparesStates({ labels, fields, changed, wakes }: Watch): boolean {
  const isFiltered = labels !== undefined || fields !== undefined || changed !== undefined;
  return isFiltered || (wakes !== undefined && 'owner' in wakes);
}

function isAt({ namespace, name }: Watch, happened: Happened): boolean {
  return (
    (namespace === undefined || namespace === happened.namespace) &&
    (name === undefined || name === happened.name)
  );
}

/** Before or now: that a label is gone is news for those who looked for it. */
function matchesEither(watch: Watch, happened: Happened): boolean {
  const { after } = happened;
  if (after !== undefined && matches(watch, after)) return true;
  const { before } = happened;
  return before !== undefined && matches(watch, before);
}

/** Whoever begins to match is new to the function, as it would be to a watch with that selector at the server. */
function isAwaited(watch: Watch, happened: Happened): boolean {
  const { on } = watch;
  if (on === undefined || on.includes(happened.type)) return true;
  if (happened.type === 'added') return awaitsNew(watch);
  return on.includes('added') && happened.type === 'modified' && crossing(watch, happened) === 'in';
}

/** A selector at the server shows by one word what is new and what was changed to match: then it may be a change. */
export function awaitsNew({ on, atServer, labels, fields }: Watch): boolean {
  if (on === undefined || on.includes('added')) return true;
  const isNarrowed = atServer === true && (labels !== undefined || fields !== undefined);
  return isNarrowed && on.includes('modified');
}

/** From outside of the filter, or out of it: whatever else of the object is as it was, that is news. */
function crossing(watch: Watch, happened: Happened): 'in' | 'out' | undefined {
  if (watch.labels === undefined && watch.fields === undefined) return undefined;
  const { before, after } = happened;
  if (before === undefined || after === undefined) return undefined;
  const matchesNow = matches(watch, after);
  if (matchesNow === matches(watch, before)) return undefined;
  return matchesNow ? 'in' : 'out';
}

function matches({ labels, fields }: Watch, object: KubeObject): boolean {
  if (labels !== undefined && !matchesLabels(labels, object.metadata.labels ?? {})) return false;
  return fields === undefined || matchesFields(parseFieldSelector(fields) ?? [], object);
}

function isChanged(watch: Watch, happened: Happened): boolean {
  const { changed, wakes } = watch;
  if (changed === undefined || happened.type !== 'modified') return true;
  const { before, after } = happened;
  if (before === undefined || crossing(watch, happened) !== undefined) return true;
  if (wakes !== undefined && 'owner' in wakes && hasOtherOwners(wakes.owner, happened)) return true;
  return changed.some((path) => !isDeepStrictEqual(at(before, path), at(after, path)));
}

/** Both the one who lost it and the one who has it now have yet to hear of that. */
function hasOtherOwners(kind: Kind, { before, after }: Happened): boolean {
  const [had, has] = [before, after].map((object) => ownersIn(object, kind).map(({ uid }) => uid));
  return !isDeepStrictEqual(had?.toSorted(), has?.toSorted());
}

function at(object: KubeObject | undefined, path: string): unknown {
  return (parsePointer(path) ?? []).reduce<unknown>(valueAt, object);
}

/** Those of before as well: whoever lost it has work to do. */
function ownersOf({ before, after, namespace }: Happened, kind: Kind) {
  const found = [before, after].flatMap((object) => ownersIn(object, kind));
  const byUid = new Map(found.map((owner) => [owner.uid, owner]));
  return [...byUid.values()].map(({ name, uid }) => ({
    namespace: kind.namespaced ? namespace : '',
    name,
    uid,
    deleted: false,
  }));
}

function ownersIn(object: KubeObject | undefined, kind: Kind) {
  const references = object?.metadata['ownerReferences'];
  return (Array.isArray(references) ? references : []).filter(isJsonObject).flatMap((reference) => {
    const { apiVersion, kind: named, name, uid } = reference;
    if (typeof apiVersion !== 'string') return [];
    const isOfKind = named === kind.kind && parseApiVersion(apiVersion)?.group === kind.group;
    return isOfKind && typeof name === 'string' && typeof uid === 'string' ? [{ name, uid }] : [];
  });
}

/** A Namespace is itself the place of what it concerns. */
function setOf({ group, resource }: Kind, { namespace, name }: Happened): string {
  return group === '' && resource === 'namespaces' ? name : namespace;
}
