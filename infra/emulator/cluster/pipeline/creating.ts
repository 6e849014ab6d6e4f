import type { JsonObject } from '#shared/domain/json.ts';
import { conflict, isRefusal, type Refusal } from '../refusal.ts';
import { keyOf, parsedBody, type Stored, storedFrom } from '../store/stored.ts';
import { isMarked, metadataOf, textIn } from './metadata.ts';
import { applyingNew, creating, through, versioned } from './steps.ts';
import type { Done, Write } from './write.ts';

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
  const { of, namespace, options, store } = write;
  const first = { object: sent, before: undefined, warnings: [] };
  const draft = await through(how === 'sent' ? creating : applyingNew, first, write);
  if (isRefusal(draft)) return draft;
  const made = write.rules.readBack?.(draft.object) ?? draft.object;
  const name = String(metadataOf(made)['name']);
  // Only now: whoever asks for a name that is taken has still been through admission.
  if (isVersioned(made) && !options.dryRun) return versioned;
  const there = of.find(keyOf(namespace, name));
  if (there !== undefined) return taken(there, { ...of.kind, name });
  const object = (await write.conversion?.kept(made)) ?? made;
  if (isRefusal(object)) return object;
  const late = of.find(keyOf(namespace, name));
  if (late !== undefined) return taken(late, { ...of.kind, name });
  const stored = options.dryRun ? storedFrom(object, undefined) : store.create(of, object);
  return { code: 201, stored, warnings: draft.warnings };
}

/** Of what is to be made no version is known; what is no number is none. */
function isVersioned(object: JsonObject): boolean {
  return /^0*[1-9]\d*$/.test(textIn(metadataOf(object), 'resourceVersion') ?? '');
}

function taken(there: Stored, named: Parameters<typeof conflict>[1]): Refusal {
  const { code, body } = conflict('AlreadyExists', named);
  if (!isMarked(parsedBody(there)) || typeof body === 'string') return { code, body };
  return {
    code,
    body: { ...body, message: `object is being deleted: ${String(body['message'])}` },
  };
}

function isTaken({ body }: Refusal): boolean {
  return typeof body === 'object' && body['reason'] === 'AlreadyExists';
}
