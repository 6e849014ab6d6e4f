import type { JsonObject } from '#shared/domain/json.ts';
import { conflict, isRefusal, type Refusal, refusal } from '../refusal.ts';
import { idOf } from '../served-kinds.ts';
import { keyOf, parsedBody, type Stored, storedFrom } from '../store/stored.ts';
import { isMarked, metadataOf, textIn } from './metadata.ts';
import { oversized } from './size.ts';
import { applyingNew, creating, through, versioned, warned } from './steps.ts';
import type { Done, Draft, Write } from './write.ts';

const mostNames = 8;

/** A generated name that is taken is drawn again. */
export async function create(
  object: JsonObject,
  write: Write,
  how: 'sent' | 'applied' = 'sent',
): Promise<Done | Refusal> {
  const isDrawn = textIn(metadataOf(object), 'name') === undefined;
  for (let left = isDrawn ? mostNames : 1; ; left -= 1) {
    const done = await createdOnce(object, write, how);
    if (left <= 1 || !isRefusal(done) || !isTaken(done)) return done;
  }
}

async function createdOnce(
  sent: JsonObject,
  write: Write,
  how: 'sent' | 'applied',
): Promise<Done | Refusal> {
  const { of, namespace, options } = write;
  const first = { object: sent, before: undefined, warnings: [] };
  const draft = await through(how === 'sent' ? creating : applyingNew, first, write);
  if (isRefusal(draft)) return draft;
  const made = write.rules.readBack?.(draft.object) ?? draft.object;
  const name = String(metadataOf(made)['name']);
  // Only now: whoever asks for a name that is taken has still been through admission.
  if (isVersioned(made) && !options.dryRun) return warned(versioned, draft.warnings);
  const there = of.find(keyOf(namespace, name));
  const isDrawn = textIn(metadataOf(made), 'generateName') !== undefined;
  const late = (stored: Stored) =>
    warned(taken(stored, { ...of.kind, name }, isDrawn), draft.warnings);
  if (there !== undefined) return late(there);
  const object = (await write.conversion?.kept(made)) ?? made;
  if (isRefusal(object)) return object;
  const meanwhile = of.find(keyOf(namespace, name));
  if (meanwhile !== undefined) return late(meanwhile);
  return kept(object, draft.warnings, write);
}

function kept(
  object: JsonObject,
  warnings: Draft['warnings'],
  { of, store, options }: Write,
): Done | Refusal {
  if (options.dryRun) return { code: 201, stored: storedFrom(object, undefined), warnings };
  const next = store.made(object);
  const no = oversized(next, of.kind);
  return no === undefined
    ? { code: 201, stored: store.put(of, next, undefined), warnings }
    : warned(no, warnings);
}

/** Of what is to be made no version is known; what is no number is none. */
function isVersioned(object: JsonObject): boolean {
  return /^0*[1-9]\d*$/.test(textIn(metadataOf(object), 'resourceVersion') ?? '');
}

type Taken = Parameters<typeof conflict>[1];

function taken(there: Stored, named: Taken, isDrawn: boolean): Refusal {
  const no = isDrawn ? undrawn(named) : conflict('AlreadyExists', named);
  if (!isMarked(parsedBody(there)) || typeof no.body === 'string') return no;
  const message = `object is being deleted: ${String(no.body['message'])}`;
  return { ...no, body: { ...no.body, message } };
}

/** Whoever has names drawn may try again. */
function undrawn({ name, group, resource }: Taken): Refusal {
  const id = idOf({ group, resource });
  const message = `${id} "${name}" already exists, the server was not able to generate a unique name for the object`;
  const details = { name, ...(group && { group }), kind: resource, retryAfterSeconds: 1 };
  return refusal(409, { reason: 'AlreadyExists', message, details }, 1);
}

function isTaken({ body }: Refusal): boolean {
  return typeof body === 'object' && body['reason'] === 'AlreadyExists';
}
