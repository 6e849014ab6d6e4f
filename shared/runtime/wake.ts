import { type SetAffected, type Wake, wakeKinds } from '#events/kinds.ts';
import { type ReconcileFunction, watchesOf } from '#shared/define.ts';
import { decode, describe } from '#shared/domain/decode.ts';

/** What arrives, by whatever way: a kind's name with its version, and what it carries, still unchecked. */
export type Message = {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  /** How often it had failed before; a stranger's message says nothing of it. */
  readonly attempt?: number | undefined;
};

/** Why no run comes of a message, and what becomes of it then. */
export type Unfit = { readonly kind: 'retry' | 'undecodable'; readonly why: string };

export type Woken =
  | { readonly ok: true; readonly wake: Wake }
  /** Some can be read all the same. */
  | { readonly ok: false; readonly unfit: Unfit; readonly wake?: Wake };

/** The door for messages: past it nobody checks their shape again. */
export function wakeFrom({ type, data, attempt }: Message, definition: ReconcileFunction): Woken {
  const kind = wakeKinds.find(({ name }) => name === type);
  if (kind === undefined) {
    return { ok: false, unfit: leftToOthers(`nothing decodes messages of kind ${type}`, attempt) };
  }
  const result = decode(kind.decoder, data);
  if (!result.ok) return { ok: false, unfit: undecodable(describe(result.problems[0])) };

  const wake = result.value;
  const unfit = whyNotFor(definition, wake, attempt);
  return unfit === undefined ? { ok: true, wake } : { ok: false, unfit, wake };
}

export function undecodable(why: string): Unfit {
  return { kind: 'undecodable', why };
}

/** A handler reads a wake-up as being of the kind that it watches: another one's would be misread, and so would each of a set. */
export function whyNotFor(
  definition: ReconcileFunction,
  payload: Wake | SetAffected,
  attempt: number | undefined,
): Unfit | undefined {
  if (isFor(definition, payload)) return undefined;
  return leftToOthers(`it is not for ${definition.name}`, attempt);
}

function isFor({ name, trigger }: ReconcileFunction, payload: Wake | SetAffected): boolean {
  if (payload.kind === 'period') return payload.function === name;
  return watchesOf(trigger).some(({ of, wakes }) => {
    const woken = wakes !== undefined && 'owner' in wakes ? wakes.owner : (wakes?.all ?? of);
    return woken.group === payload.group && woken.resource === payload.resource;
  });
}

/** Eight hours, by the backoff: a roll-out may stand still, and what the new one tries meanwhile counts as well. */
export const mostAttempts = 100;

/** In a roll-out another process may know already what to do with it: burying it here would lose it. */
function leftToOthers(why: string, attempt = mostAttempts): Unfit {
  return attempt < mostAttempts ? { kind: 'retry', why } : undecodable(why);
}
