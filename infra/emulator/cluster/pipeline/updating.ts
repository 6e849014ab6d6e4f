import type { JsonObject } from '#shared/domain/json.ts';
import { conflict, invalid, isRefusal, notFound, type Refusal, refusal } from '../refusal.ts';
import { idOf, type ServedKind } from '../served-kinds.ts';
import { keyOf, objectOf, type Stored, storedFrom } from '../store/stored.ts';
import { unkeyable } from './key-name.ts';
import { finalizersOf, isMarked, metadataOf, textIn } from './metadata.ts';
import { oversized } from './size.ts';
import { applyingAgain, stating, through, updating, warned } from './steps.ts';
import type { Done, Draft, Write } from './write.ts';

/** What it shall be, from what it is: of a patch it depends on each try. */
export type Make = (before: JsonObject) => Made | Refusal | Promise<Made | Refusal>;

type Made = Pick<Draft, 'object' | 'warnings'>;

export function made(object: JsonObject | Refusal): Made | Refusal {
  return isRefusal(object) ? object : { object, warnings: [] };
}

const mostTries = 5;

/** Somebody wrote in between: once more from what is there now. */
export async function update(
  make: Make,
  write: Write,
  how: 'put' | 'patched' | 'applied',
): Promise<Done | Refusal> {
  const { of, namespace, name } = write;
  const no = unkeyable(name);
  if (no !== undefined) return no;
  for (let left = mostTries; left > 0; left -= 1) {
    const before = of.find(keyOf(namespace, name));
    if (before === undefined) return unmade(make, write, how);
    const done = await updatedOnce(before, { make, how }, write);
    if (done !== 'overtaken') return done;
  }
  return conflict('Conflict', { ...of.kind, name });
}

/** What is wrong with a whole object, whether there is one or not. */
export async function misstated(object: JsonObject, write: Write): Promise<Refusal | undefined> {
  const seen = await through(stating, { object, before: undefined, warnings: [] }, write);
  return isRefusal(seen) ? seen : undefined;
}

async function unmade(make: Make, write: Write, how: How['how']): Promise<Refusal> {
  const gone = notFound({ ...write.of.kind, name: write.name });
  const sent = how === 'put' ? await make({}) : gone;
  if (isRefusal(sent)) return gone;
  const seen = await through(stating, { ...sent, before: undefined }, write);
  return isRefusal(seen) ? seen : warned(gone, seen.warnings);
}

const stepsOf = { put: updating.slice(stating.length), patched: updating, applied: applyingAgain };

type How = { readonly make: Make; readonly how: 'put' | 'patched' | 'applied' };

async function updatedOnce(
  stored: Stored,
  { make, how }: How,
  write: Write,
): Promise<Done | Refusal | 'overtaken'> {
  const shown = await (write.conversion?.shown([stored]) ?? [stored]);
  if (isRefusal(shown)) return shown;
  const before = objectOf(shown[0] ?? stored, write.of.kind, write.version);
  const next = await make(before);
  if (isRefusal(next)) return next;
  const { object } = next;
  const first = { ...next, before };
  const read = how === 'put' ? await through(stating, first, write) : first;
  if (isRefusal(read)) return read;
  const wrong =
    otherVersion(stored, object, { ...write, how }) ?? otherUid(stored, object, { ...write, how });
  if (wrong !== undefined) return warned(wrong, read.warnings);
  const draft = await through(stepsOf[how], read, write);
  return isRefusal(draft) ? draft : finished(stored, draft, write);
}

async function finished(
  stored: Stored,
  draft: Draft,
  write: Write,
): Promise<Done | Refusal | 'overtaken'> {
  const kept = (await write.conversion?.kept(draft.object)) ?? draft.object;
  return isRefusal(kept) ? kept : committed(stored, { ...draft, object: kept }, write);
}

type Meant = Pick<Write, 'of' | 'name' | 'namespace'> & Pick<How, 'how'>;

function otherVersion(
  stored: Stored,
  object: JsonObject,
  { of, name, how }: Meant,
): Refusal | undefined {
  const version = textIn(metadataOf(object), 'resourceVersion');
  if (version !== undefined && !/^\d+$/.test(version)) {
    return refusal(500, { message: `strconv.ParseUint: parsing "${version}": invalid syntax` });
  }
  if (version === undefined && how === 'put' && isConditional(of.kind)) {
    const message = 'Invalid value: 0: must be specified for an update';
    const error = {
      field: 'metadata.resourceVersion',
      reason: 'FieldValueInvalid',
      message,
    } as const;
    return invalid({ kind: of.kind.resource, group: of.kind.group, name }, [error]);
  }
  const isSame = version === undefined || version === '0' || version === String(stored.version);
  return isSame ? undefined : conflict('Conflict', { ...of.kind, name });
}

const conditional = new Set([
  ...['leases.coordination.k8s.io', 'poddisruptionbudgets.policy', 'runtimeclasses.node.k8s.io'],
  ...['customresourcedefinitions.apiextensions.k8s.io', 'apiservices.apiregistration.k8s.io'],
  ...['validatingwebhookconfigurations.admissionregistration.k8s.io'],
  ...['mutatingwebhookconfigurations.admissionregistration.k8s.io'],
  'clustertrustbundles.certificates.k8s.io',
]);

/** Kinds of which nobody may write over what he has not seen. */
function isConditional(kind: ServedKind): boolean {
  return kind.isCustom || conditional.has(idOf(kind));
}

/** Where the real server keeps what it does not keep under the name of the resource. */
const folders: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  'ingresses.networking.k8s.io': 'ingress',
};

/** Whoever sends the whole object means this one, and not another of its name. */
export function otherUid(
  stored: Pick<Stored, 'uid'> | undefined,
  object: JsonObject,
  { of, name, namespace, how }: Meant,
): Refusal | undefined {
  if (how !== 'put') return undefined;
  const uid = textIn(metadataOf(object), 'uid');
  const there = stored?.uid ?? '';
  if (uid === undefined || uid === there) return undefined;
  const folder = folders[idOf(of.kind)] ?? of.kind.resource;
  const key = `/registry/${folder}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${there}`;
  return conflict('Conflict', { ...of.kind, name }, why);
}

/** The last finalizer is gone: this is not written any more. */
export function isLeaving(object: JsonObject): boolean {
  const { deletionGracePeriodSeconds: grace = 0 } = metadataOf(object);
  return isMarked(object) && grace === 0 && finalizersOf(object).length === 0 && !isHeld(object);
}

/** A namespace has finalizers of its own, in its spec. */
function isHeld({ kind, spec }: JsonObject): boolean {
  if (kind !== 'Namespace' || typeof spec !== 'object' || spec === null) return false;
  const { finalizers } = spec as JsonObject;
  return Array.isArray(finalizers) && finalizers.length > 0;
}

export function committed(
  before: Stored,
  { object, warnings }: Draft,
  { of, store, options }: Pick<Write, 'of' | 'store' | 'options'>,
): Done | Refusal | 'overtaken' {
  if (of.find(before.key) !== before) return 'overtaken';
  if (options.dryRun) return { code: 200, stored: storedFrom(object, before.version), warnings };
  if (isLeaving(object))
    return { code: 200, stored: left(before, object, { of, store }), warnings };
  const next = store.changed(before, object);
  const no = oversized(next, of.kind);
  if (no !== undefined) return warned(no, warnings);
  return { code: 200, stored: store.put(of, next, before), warnings };
}

/** Whoever watches sees the state before the last finalizer went; the writer sees what he wrote. */
function left(
  before: Stored,
  object: JsonObject,
  { of, store }: Pick<Write, 'of' | 'store'>,
): Stored {
  store.delete(of, before);
  return storedFrom(object, before.version);
}
