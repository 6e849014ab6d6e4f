import { isJsonObject, type JsonObject, sameJson } from '#shared/domain/json.ts';
import { forbidden, invalid, notNegative, required, says, tooLong } from './errors.ts';
import { dnsLabel, labelValue, type NameRule, qualifiedName } from './names.ts';
import {
  child,
  type Errors,
  entries,
  isStated,
  items,
  itemsAt,
  none,
  object,
  type Place,
  text,
} from './place.ts';

type Named = {
  readonly name: NameRule;
  readonly isClusterWide: boolean;
  /** Finalizers without a domain are the server's own; a few newer kinds let anybody use them. */
  readonly hasFreeFinalizers: boolean;
};

export function checkedMetadata(
  at: Place,
  { name, isClusterWide, hasFreeFinalizers }: Named,
): Errors {
  return [
    ...checkedName(at, name),
    ...checkedNamespace(child(at, 'namespace'), isClusterWide),
    ...notNegative(child(at, 'generation')),
    ...checkedNotes(at),
    ...checkedFinalizers(child(at, 'finalizers')),
    ...(hasFreeFinalizers ? none : items(at, 'finalizers').flatMap(checkedShortFinalizer)),
  ];
}

/** What any writer may note on an object, of whichever part of it. */
export function checkedNotes(at: Place): Errors {
  return [
    ...checkedLabels(child(at, 'labels')),
    ...checkedAnnotations(child(at, 'annotations')),
    ...checkedOwners(child(at, 'ownerReferences')),
  ];
}

function checkedName(at: Place, rule: NameRule): Errors {
  const generate = child(at, 'generateName');
  const prefix = text(generate).replace(/-$/, 'a');
  const generated = rule(prefix).map((complaint) => invalid(generate, complaint));
  const name = child(at, 'name');
  return [
    ...(text(generate) === '' ? none : generated),
    ...(text(name) === ''
      ? [required(name, 'name or generateName is required')]
      : says(rule)(name)),
  ];
}

function checkedNamespace(at: Place, isClusterWide: boolean): Errors {
  if (isClusterWide) return text(at) === '' ? none : [forbidden(at, 'not allowed on this type')];
  return text(at) === '' ? [required(at)] : says(dnsLabel)(at);
}

/** Keys and values of labels, and of selectors by label. Errors name the map, not the key. */
export function checkedLabels(at: Place): Errors {
  return entries(at).flatMap(([key, { value }]) => [
    ...qualifiedName(key).map((complaint) => invalid(at, complaint, key)),
    ...says(labelValue)({ path: at.path, value }),
  ]);
}

const mostOfAnnotations = 256 * 1024;

export function checkedAnnotations(at: Place): Errors {
  const all = Object.entries(object(at));
  const bytes = all.reduce((sum, [key, value]) => sum + sizeOf(key) + sizeOf(String(value)), 0);
  return [
    ...all.flatMap(([key]) =>
      qualifiedName(key.toLowerCase()).map((complaint) => invalid(at, complaint, key)),
    ),
    ...(bytes > mostOfAnnotations ? [tooLong(at, mostOfAnnotations)] : none),
  ];
}

function sizeOf(value: string): number {
  return Buffer.byteLength(value);
}

function checkedOwners(at: Place): Errors {
  const owners = itemsAt(at);
  return [...owners.flatMap((owner) => checkedOwner(at, owner)), ...secondController(at, owners)];
}

/** Errors name the list, not the owner's place in it. */
function checkedOwner({ path }: Place, { value }: Place): Errors {
  const owner = { path, value };
  const versioned = child(owner, 'apiVersion');
  const empty = (['kind', 'name', 'uid'] as const)
    .map((key) => child(owner, key))
    .filter((each) => text(each) === '')
    .map((each) => invalid(each, 'must not be empty', ''));
  const banned = text(versioned) === 'v1' && text(child(owner, 'kind')) === 'Event';
  return [
    ...(text(versioned) === '' ? [invalid(versioned, 'version must not be empty', '')] : none),
    ...empty,
    ...(banned ? [invalid(owner, '/v1, Kind=Event is disallowed from being an owner')] : none),
  ];
}

function secondController(at: Place, owners: readonly Place[]): Errors {
  const [first, ...more] = owners
    .filter((owner) => child(owner, 'controller').value === true)
    .map((owner) => `${text(child(owner, 'kind'))}/${text(child(owner, 'name'))}`);
  return more.map((other) =>
    invalid(
      at,
      `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${other}`,
    ),
  );
}

function checkedFinalizers(at: Place): Errors {
  const finalizers = itemsAt(at).map(text);
  const isBoth = finalizers.includes('orphan') && finalizers.includes('foregroundDeletion');
  return [
    ...finalizers.flatMap((finalizer) =>
      qualifiedName(finalizer).map((complaint) => invalid(at, complaint, finalizer)),
    ),
    ...(isBoth
      ? [invalid(at, 'finalizer orphan and foregroundDeletion cannot be both set')]
      : none),
  ];
}

const standard = ['kubernetes', 'orphan', 'foregroundDeletion'];

export function checkedShortFinalizer(at: Place): Errors {
  const why = 'name is neither a standard finalizer name nor is it fully qualified';
  return text(at).includes('/') || standard.includes(text(at)) ? none : [invalid(at, why)];
}

const fixed = ['name', 'namespace'] as const;

/** What is left out of these is filled in, not taken away. */
const filledIn = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

export function checkedMetadataChange(next: Place, before: JsonObject): Errors {
  const version = child(next, 'resourceVersion');
  return [
    ...newFinalizers(next, before),
    ...(text(version) === '' ? [invalid(version, 'must be specified for an update', 0)] : none),
    ...fixed.flatMap((key) => immutable(child(next, key), before[key])),
    ...filledIn
      .filter((key) => isStated(child(next, key)))
      .flatMap((key) => immutable(child(next, key), before[key])),
  ];
}

function newFinalizers(next: Place, before: JsonObject): Errors {
  if (before['deletionTimestamp'] === undefined) return none;
  const known = itemsAt({ path: '', value: before['finalizers'] }).map(text);
  const added = items(next, 'finalizers')
    .map(text)
    .filter((finalizer) => !known.includes(finalizer))
    .toSorted();
  if (added.length === 0) return none;
  const shown = added.map((each) => JSON.stringify(each)).join(', ');
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`;
  return [forbidden(child(next, 'finalizers'), why)];
}

export function immutable(next: Place, before: unknown): Errors {
  return sameJson(emptied(next.value), emptied(before))
    ? none
    : [invalid(next, 'field is immutable')];
}

/** For a comparison nothing, an empty text, list or map are the same. */
export function emptied(value: unknown): unknown {
  if (value === undefined || value === '') return null;
  if (Array.isArray(value) && value.length === 0) return null;
  return isJsonObject(value) && Object.keys(value).length === 0 ? null : value;
}
