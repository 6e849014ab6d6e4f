import { isJsonObject, type JsonObject, sameJson } from '#shared/domain/json.ts';
import type { Rules, Subresource, Written } from '../parts.ts';
import { all, type Edit, metadataOf, put } from './words/edit.ts';
import { checkedMetadata, checkedMetadataChange, checkedNotes } from './words/metadata.ts';
import { dnsSubdomain, type NameRule } from './words/names.ts';
import { child, type Errors, none, type Place, root } from './words/place.ts';
import { trimmed } from './words/trimming.ts';

/** What one kind says of itself; all that it leaves out is as with most kinds. */
export type KindRules = {
  readonly defaults?: Edit;
  /** Kinds with a status of their own: what a new one begins with. Others keep what a creator states. */
  readonly status?: JsonObject | ((object: JsonObject, at: Written) => JsonObject);
  readonly created?: (object: JsonObject, at: Written) => JsonObject;
  /** What an update may not touch is as before. */
  readonly kept?: (next: JsonObject, before: JsonObject) => JsonObject;
  /** Parts of which a change counts the generation up; none where there is no generation. */
  readonly counts?: readonly string[];
  readonly name?: NameRule;
  readonly isClusterWide?: boolean;
  readonly hasFreeFinalizers?: boolean;
  readonly checks?: (at: Place) => Errors;
  /** Beside `checks`, where only a creation is looked at. */
  readonly checksOfNew?: (at: Place) => Errors;
  readonly changes?: (next: Place, before: JsonObject) => Errors;
  /** Labels do not come with a status. */
  readonly statusKeepsLabels?: boolean;
  /** What an update leaves of the status, where it is no longer of such an object. */
  readonly leftStatus?: (next: JsonObject, status: JsonObject) => JsonObject;
  /** Of a status that is written. */
  readonly statusChecks?: (status: Place) => Errors;
  /** Of a status, beside what it was. */
  readonly statusChanges?: (next: Place, before: JsonObject) => Errors;
  /** What its own defaults make of a new one that is read for the first time: nobody owns it. */
  readonly readBack?: Edit;
  readonly warnings?: (object: JsonObject, before: JsonObject | undefined) => readonly string[];
  readonly subresources?: Readonly<Record<string, Subresource>>;
};

export function rulesFrom(kind: KindRules): Rules {
  const defaulted = all(trimmed, kind.defaults ?? ((object) => object), withStatus(kind));
  return {
    defaulted,
    created: (object, at) => created(kind, defaulted(object), at),
    updated: (next, before) => updated(kind, defaulted(next), before),
    checked: (next, before) => checked(kind, next, before),
    warnings: (next, before) => kind.warnings?.(next, before) ?? [],
    ...(kind.readBack && { readBack: kind.readBack }),
    subresources: { ...statusPart(kind, defaulted), ...kind.subresources },
  };
}

/** A structure that is no pointer is written even if nothing is in it. */
function withStatus({ status }: KindRules): Edit {
  if (status === undefined) return (object) => object;
  return (object) => (isJsonObject(object['status']) ? object : { ...object, status: {} });
}

function created(kind: KindRules, object: JsonObject, at: Written): JsonObject {
  const counted = kind.counts === undefined ? object : withGeneration(object, 1);
  const own = kind.created?.(counted, at) ?? counted;
  if (kind.status === undefined) return own;
  const status = typeof kind.status === 'function' ? kind.status(own, at) : kind.status;
  return { ...own, status };
}

function updated(kind: KindRules, next: JsonObject, before: JsonObject): JsonObject {
  const kept = kind.kept?.(next, before) ?? next;
  const settled = kind.status === undefined ? kept : put(kept, 'status', left(kind, kept, before));
  return counted(kind, settled, before);
}

function left({ leftStatus }: KindRules, next: JsonObject, { status }: JsonObject) {
  return leftStatus === undefined || !isJsonObject(status) ? status : leftStatus(next, status);
}

function counted({ counts }: KindRules, next: JsonObject, before: JsonObject): JsonObject {
  if (counts === undefined) return next;
  const { generation } = metadataOf(before);
  const was = typeof generation === 'number' ? generation : 0;
  return withGeneration(next, isOther(counts, next, before) ? was + 1 : was);
}

function isOther(counts: readonly string[], next: JsonObject, before: JsonObject): boolean {
  return counts.some((part) => !sameJson(valueAt(next, part), valueAt(before, part)));
}

/** `spec` or `metadata.annotations` */
function valueAt(object: JsonObject, path: string): unknown {
  return child(root(object), ...path.split('.')).value;
}

function withGeneration(object: JsonObject, generation: number): JsonObject {
  if (generation === 0) return object;
  return { ...object, metadata: { ...metadataOf(object), generation } };
}

/** After a write of a part, as after any other. */
export function countedAs(counts: readonly string[]) {
  return (next: JsonObject, before: JsonObject) => counted({ counts }, next, before);
}

function checked(kind: KindRules, next: JsonObject, before: JsonObject | undefined): Errors {
  const at = root(next);
  const named = {
    name: kind.name ?? dnsSubdomain,
    isClusterWide: kind.isClusterWide === true,
    hasFreeFinalizers: kind.hasFreeFinalizers === true,
  };
  const metadata = checkedMetadata(child(at, 'metadata'), named);
  if (before === undefined) {
    return [...metadata, ...(kind.checks?.(at) ?? none), ...(kind.checksOfNew?.(at) ?? none)];
  }
  return [
    ...checkedMetadataChange(child(at, 'metadata'), metadataOf(before)),
    ...metadata,
    ...(kind.checks?.(at) ?? none),
    ...(kind.changes?.(at, before) ?? none),
  ];
}

/** `status`: of what is sent only that, and of the metadata what any writer may change. */
function statusPart(kind: KindRules, defaulted: Edit): Readonly<Record<string, Subresource>> {
  if (kind.status === undefined) return {};
  return {
    status: {
      shape: 'part',
      taken: (next, before) => ({
        ...before,
        metadata: statusMetadata(kind, next, before),
        status: defaulted(next)['status'] ?? {},
      }),
      checked: (next, before) => [
        ...checkedMetadataChange(child(root(next), 'metadata'), metadataOf(before)),
        ...checkedNotes(child(root(next), 'metadata')),
        ...(kind.statusChecks?.(child(root(next), 'status')) ?? none),
        ...(kind.statusChanges?.(root(next), before) ?? none),
      ],
    },
  };
}

function statusMetadata(kind: KindRules, next: JsonObject, before: JsonObject): JsonObject {
  const sent = sentMetadata(next, before);
  return kind.statusKeepsLabels ? put(sent, 'labels', metadataOf(before)['labels']) : sent;
}

export function sentMetadata(next: JsonObject, before: JsonObject): JsonObject {
  return put(metadataOf(next), 'generation', metadataOf(before)['generation']);
}

/** What a writer of a part may not touch of the metadata, where the part is all that counts. */
const lifeOfObject = [
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const;

export function fixedMetadata(next: JsonObject, before: JsonObject): JsonObject {
  return lifeOfObject.reduce<JsonObject>(
    (metadata, key) => put(metadata, key, metadataOf(before)[key]),
    metadataOf(next),
  );
}
