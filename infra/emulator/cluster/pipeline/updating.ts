import type { JsonObject } from '#shared/domain/json.ts';
import { conflict, invalid, isRefusal, notFound, type Refusal, refusal } from '../refusal.ts';
import { idOf, type ServedKind } from '../served-kinds.ts';
import { keyOf, objectOf, type Stored, storedFrom } from '../store/stored.ts';
import { finalizersOf, isMarked, metadataOf, textIn } from './metadata.ts';
import { applyingAgain, through, updating } from './steps.ts';
import type { Done, Draft, Write } from './write.ts';

/** What it shall be, from what it is: of a patch it depends on each try. */
export type Make = (before: JsonObject) => JsonObject | Refusal;

const mostTries = 5;

/** Somebody wrote in between: once more from what is there now. */
export async function update(
  make: Make,
  write: Write,
  how: 'put' | 'patched' | 'applied',
): Promise<Done | Refusal> {
  const { of, namespace, name } = write;
  for (let left = mostTries; left > 0; left -= 1) {
    const before = of.find(keyOf(namespace, name));
    if (before === undefined) return notFound({ ...of.kind, name });
    const done = await updatedOnce(before, { make, how }, write);
    if (done !== 'overtaken') return done;
  }
  return conflict('Conflict', { ...of.kind, name });
}

type How = { readonly make: Make; readonly how: 'put' | 'patched' | 'applied' };

async function updatedOnce(
  stored: Stored,
  { make, how }: How,
  write: Write,
): Promise<Done | Refusal | 'overtaken'> {
  const shown = await (write.conversion?.shown([stored]) ?? [stored]);
  if (isRefusal(shown)) return shown;
  const before = objectOf(shown[0] ?? stored, write.of.kind, write.version);
  const object = make(before);
  if (isRefusal(object)) return object;
  const wrong =
    otherVersion(stored, object, { ...write, how }) ?? otherUid(stored, object, { ...write, how });
  if (wrong !== undefined) return wrong;
  const steps = how === 'applied' ? applyingAgain : updating;
  const draft = await through(steps, { object, before, warnings: [] }, write);
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

type Meant = Pick<Write, 'of' | 'name'> & Pick<How, 'how'>;

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

/** Whoever sends the whole object means this one, and not another of its name. */
function otherUid(
  stored: Stored,
  object: JsonObject,
  { of, name, how }: Meant,
): Refusal | undefined {
  if (how !== 'put') return undefined;
  const uid = textIn(metadataOf(object), 'uid');
  if (uid === undefined || uid === stored.uid) return undefined;
  const key = `/registry/${of.kind.resource}/${stored.namespace && `${stored.namespace}/`}${name}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored.uid}`;
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
): Done | 'overtaken' {
  if (of.find(before.key) !== before) return 'overtaken';
  if (options.dryRun) return { code: 200, stored: storedFrom(object, before.version), warnings };
  const stored = isLeaving(object)
    ? left(before, object, { of, store })
    : store.update(of, before, object);
  return { code: 200, stored, warnings };
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
