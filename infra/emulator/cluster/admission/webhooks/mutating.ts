import { type JsonObject, sameJson } from '#shared/domain/json.ts';
import { text } from '../../access/stated.ts';
import type { Admitting, GroupVersionKind } from '../../parts.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import { type Asked, askedBy, typeOf } from './asked.ts';
import { asked as askedOf, type Calling, type Prepared, prepared } from './calling.ts';
import type { Hook } from './hook.ts';
import { jsonPatched } from './json-patch.ts';
import { isExempt } from './matching.ts';
import { type Heard, withSaid } from './outcome.ts';
import { afterWarnings, callFailed, deniedBy, internalError, modifiesNothing } from './refusing.ts';
import { forgetful, type Rounds } from './rounds.ts';

export type Mutating = Calling & {
  /** As a decoder takes what a webhook has made: unknown fields dropped, wrong types refused. */
  decoded(object: JsonObject, what: Admitting): JsonObject | Refusal;
};

export type Mutated = {
  readonly object: JsonObject | undefined;
  readonly heard: Heard;
  readonly rounds: Rounds;
};

/** One after the other, each with what the one before has made of the object. */
export async function mutated(
  what: Admitting,
  hooks: readonly Hook[],
  { mutating, before }: { readonly mutating: Mutating; readonly before: Mutated },
): Promise<Mutated | Refusal> {
  let state = before;
  for (const hook of hooks) {
    const asked = askedBy({ ...what, object: state.object });
    if (isExempt(asked)) return state;
    if (!state.rounds.isDue(hook)) continue;
    const next = await after(hook, asked, { mutating, state });
    if (isRefusal(next)) return afterWarnings(next, state.heard.warnings);
    state = next;
  }
  return state;
}

export function untouched(object: JsonObject | undefined, heard: Heard): Mutated {
  return { object, heard, rounds: forgetful };
}

type Turn = { readonly mutating: Mutating; readonly state: Mutated };

async function after(
  hook: Hook,
  asked: Asked,
  { mutating, state }: Turn,
): Promise<Mutated | Refusal> {
  const call = await prepared(hook, asked, mutating);
  if (call === undefined) return state;
  if (isRefusal(call)) return call;
  const verdict = await askedOf(call, mutating);
  if (isRefusal(verdict)) return verdict;
  if (verdict.kind === 'failed') {
    return hook.isIgnored
      ? { ...state, rounds: state.rounds.after(hook, false) }
      : callFailed(hook.name, verdict.why);
  }
  const heard = withSaid(state.heard, hook, verdict.said);
  if (verdict.kind === 'denied') return deniedBy(hook.name, verdict.status, heard.warnings);
  const object = await patched(call, verdict.patch, { asked, mutating });
  if (isRefusal(object)) return afterWarnings(object, heard.warnings);
  const isChanged = object !== call.versioned.object;
  const own =
    isChanged && object !== undefined
      ? await inOwn(object, call, { asked, mutating })
      : state.object;
  return { object: own, heard, rounds: state.rounds.after(hook, isChanged) };
}

type Around = { readonly asked: Asked; readonly mutating: Mutating };

/** The same object where nothing came of the patch. */
async function patched(
  { called, versioned }: Prepared,
  operations: readonly JsonObject[],
  { asked, mutating }: Around,
): Promise<JsonObject | undefined | Refusal> {
  const { object } = versioned;
  if (operations.length === 0) return object;
  if (object === undefined) return modifiesNothing(called.hook.name);
  const next = jsonPatched(object, operations);
  if (next.kind === 'unfit') return internalError(next.why);
  const otherType = changedType(object, next.object);
  if (otherType !== undefined) return internalError(otherType);
  const decoded = mutating.decoded(next.object, typedAs(asked.what, called.kind));
  if (isRefusal(decoded)) return internalError(wordsOf(decoded));
  return sameJson(decoded, object) ? object : decoded;
}

/** What is left out is as it was. */
function changedType(before: JsonObject, { apiVersion, kind }: JsonObject): string | undefined {
  const isSame = [
    [apiVersion, before['apiVersion']],
    [kind, before['kind']],
  ].every(([stated, own]) => text(stated) === '' || stated === own);
  return isSame
    ? undefined
    : `no kind "${text(kind)}" is registered for version "${text(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`;
}

/** What is decoded is what the webhook was shown: a Scale where that is asked for, and in its version. */
function typedAs(what: Admitting, { group, version, kind }: GroupVersionKind): Admitting {
  return { ...what, version, kind: { ...what.kind, group, kind } };
}

/** A webhook's mistake is not the client's: of the refusal only the words stay. */
function wordsOf({ body }: Refusal): string {
  const message = typeof body === 'string' ? body : text(body['message']);
  return message.replace(/^.* cannot be handled as an? \w+: /s, '');
}

/** Back in the version of the request, and with its defaults again. */
async function inOwn(
  object: JsonObject,
  { called }: Prepared,
  { asked, mutating }: Around,
): Promise<JsonObject> {
  const own = typeOf(asked.what.object);
  const isOwn = called.resource === asked.resource || own === undefined;
  return asked.what.defaulted(isOwn ? object : await mutating.converted(object, own));
}
