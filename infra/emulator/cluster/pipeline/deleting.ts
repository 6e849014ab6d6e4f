import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import { conflict, isRefusal, notFound, type Refusal } from '../refusal.ts';
import { customKinds, idOf } from '../served-kinds.ts';
import { keyOf, objectOf, parsedBody, type Stored, storedFrom } from '../store/stored.ts';
import type { DeleteOptions } from './delete-options.ts';
import { unkeyable } from './key-name.ts';
import { finalizersOf, isMarked, metadataOf, timeText, withMetadata } from './metadata.ts';
import { isLeaving } from './updating.ts';
import type { Write } from './write.ts';

export type Deletion = Omit<Write, 'options' | 'schema' | 'part' | 'duplicates' | 'isPatch'> & {
  readonly how: DeleteOptions;
};

export type Gone = {
  readonly stored: Stored;
  /** Or it only has to go, once others are done with it. */
  readonly isGone: boolean;
  readonly warnings: readonly string[];
};

/** As DELETE does it: preconditions, admission, grace, finalizers. */
export async function remove(deletion: Deletion): Promise<Gone | Refusal> {
  const { of, namespace, name } = deletion;
  const no = unkeyable(name);
  if (no !== undefined) return no;
  for (;;) {
    const before = of.find(keyOf(namespace, name));
    if (before === undefined) return notFound({ ...of.kind, name });
    const unmet = unmetBy(before, deletion);
    if (unmet !== undefined) return unmet;
    const warnings = await admitted(before, deletion);
    if (isRefusal(warnings)) return warnings;
    const gone = removedOnce(before, deletion);
    if (gone !== undefined) return { ...gone, warnings: [...warningsOf(deletion), ...warnings] };
  }
}

function unmetBy(before: Stored, { of, name, how }: Deletion): Refusal | undefined {
  const { uid, resourceVersion } = how.preconditions;
  const named = { resource: of.kind.kind, group: of.kind.group, name };
  if (uid !== undefined && uid !== before.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${before.uid}). The object might have been deleted and then recreated`;
    return conflict('Conflict', named, why);
  }
  const version = String(before.version);
  if (resourceVersion === undefined || resourceVersion === version) return undefined;
  const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`;
  return conflict('Conflict', named, why);
}

async function admitted(stored: Stored, deletion: Deletion): Promise<readonly string[] | Refusal> {
  const { of, version, parts, user, how, rules, namespace, name } = deletion;
  const shown = await (deletion.conversion?.shown([stored]) ?? [stored]);
  if (isRefusal(shown)) return shown;
  const [before = stored] = shown;
  const isNamespace = idOf(of.kind) === 'namespaces';
  const what = {
    ...{ kind: of.kind, version, subresource: undefined, name, object: undefined, user },
    operation: 'DELETE' as const,
    namespace: isNamespace ? name : namespace,
    before: objectOf(before, of.kind, version),
    options: how.stated,
    dryRun: how.dryRun,
    defaulted: rules.defaulted,
  };
  const mutated = await parts.admission.mutate(what);
  if (isRefusal(mutated)) return mutated;
  const options = { ...how.stated, ...pinned(stored, deletion) };
  const valid = await parts.admission.validate({ ...what, options });
  return isRefusal(valid) ? valid : [...mutated.warnings, ...valid.warnings];
}

/** What the server itself has made of the options until validating webhooks are asked. */
function pinned(stored: Stored, deletion: Deletion): JsonObject {
  const { kind } = deletion.of;
  const { preconditions } = deletion.how;
  if (idOf(kind) === 'namespaces') return { preconditions: { uid: stored.uid, ...preconditions } };
  const object = parsedBody(stored);
  if (idOf(kind) !== 'pods' || isMarked(object)) return {};
  return { gracePeriodSeconds: graceFor(object, deletion) };
}

/** `undefined` where somebody wrote in between. */
function removedOnce(before: Stored, deletion: Deletion): Omit<Gone, 'warnings'> | undefined {
  const { of, store, how, version } = deletion;
  if (of.find(before.key) !== before) return undefined;
  const object = objectOf(before, of.kind, version);
  const next = marked(object, deletion);
  const goes = isLeaving(next);
  if (how.dryRun) return { stored: storedFrom(next, before.version), isGone: goes };
  // What is gone at once was never seen to be going, pods apart.
  const isSeenGoing = idOf(of.kind) === 'pods' || !goes;
  const stored = isSeenGoing ? store.update(of, before, next) : before;
  return goes ? { stored: store.delete(of, stored), isGone: true } : { stored, isGone: false };
}

/** With the time by which it has to be gone, and those who must let go of it first. */
function marked(object: JsonObject, deletion: Deletion): JsonObject {
  const { how, now, of } = deletion;
  if (idOf(of.kind) === idOf(customKinds) && !isMarked(object)) return ending(object, now);
  const finalizers = finalizersFor(object, how, of);
  const grace = graceFor(object, deletion);
  const { deletionGracePeriodSeconds: known, generation } = metadataOf(object);
  const isLater = isMarked(object) && (typeof known !== 'number' || grace >= known);
  const begun = { deletionTimestamp: timeText(new Date(askedAt(object, now) + grace * 1_000)) };
  const next = withMetadata(object, {
    ...(isLater ? {} : { ...begun, deletionGracePeriodSeconds: grace }),
    ...(isMarked(object) || typeof generation !== 'number' ? {} : { generation: generation + 1 }),
    finalizers: finalizers.length === 0 ? undefined : finalizers,
  });
  return idOf(of.kind) === 'namespaces' ? terminating(next) : next;
}

/** A grace counts from the first time that it was asked for. */
function askedAt(object: JsonObject, now: Date): number {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace = 0 } = metadataOf(object);
  if (typeof deletionTimestamp !== 'string') return now.getTime();
  return Date.parse(deletionTimestamp) - Number(grace) * 1_000;
}

function terminating(namespace: JsonObject): JsonObject {
  const status = isJsonObject(namespace['status']) ? namespace['status'] : {};
  const going = withMetadata(namespace, { deletionGracePeriodSeconds: undefined });
  return { ...going, status: { ...status, phase: 'Terminating' } };
}

export const cleanup = 'customresourcecleanup.apiextensions.k8s.io';

/** A definition goes after all that is defined by it, whatever else is asked. */
function ending(definition: JsonObject, now: Date): JsonObject {
  const at = timeText(now);
  const status = isJsonObject(definition['status']) ? definition['status'] : {};
  const conditions = isList(status['conditions']) ? status['conditions'] : [];
  const condition = {
    ...{ type: 'Terminating', status: 'True', lastTransitionTime: at },
    reason: 'InstanceDeletionPending',
    message:
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return withMetadata(
    { ...definition, status: { ...status, conditions: [...conditions, condition] } },
    { deletionTimestamp: at, finalizers: [...new Set([...finalizersOf(definition), cleanup])] },
  );
}

/** Kinds that leave their pods behind where nobody says otherwise, as clients of old expect. */
const orphaning = new Set(['jobs.batch', 'replicationcontrollers']);

const preserved =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Said whether there is anything to delete or not. */
export function warningsOf({ of, how }: Deletion): readonly string[] {
  return idOf(of.kind) === 'jobs.batch' && how.propagation === undefined ? [preserved] : [];
}

const waiting = { Foreground: 'foregroundDeletion', Orphan: 'orphan' } as const;

function finalizersFor(
  object: JsonObject,
  { propagation: asked }: DeleteOptions,
  { kind }: Deletion['of'],
): readonly string[] {
  const stated = finalizersOf(object);
  const others = stated.filter((each) => each !== 'foregroundDeletion' && each !== 'orphan');
  const isSilent = asked === undefined && others.length === stated.length;
  const propagation = isSilent && orphaning.has(idOf(kind)) ? 'Orphan' : asked;
  if (propagation === undefined) return stated;
  return propagation === 'Background' ? others : [...others, waiting[propagation]];
}

/** Only pods take their time, and only those that somebody runs. */
function graceFor({ spec, status }: JsonObject, { of, how }: Deletion): number {
  if (idOf(of.kind) !== 'pods' || !isJsonObject(spec)) return 0;
  const { nodeName, terminationGracePeriodSeconds } = spec;
  const phase = isJsonObject(status) ? status['phase'] : undefined;
  if (!nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  const stated = how.graceSeconds ?? terminationGracePeriodSeconds;
  const seconds = typeof stated === 'number' ? stated : 30;
  return seconds < 0 ? 1 : seconds;
}
