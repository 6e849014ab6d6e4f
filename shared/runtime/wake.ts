import { type Wake, wakeKinds } from '#events/kinds.ts';
import { type ReconcileFunction, watchesOf } from '#shared/define.ts';
import { decode, describe } from '#shared/domain/decode.ts';

/** What arrives, by whatever way: a kind's name with its version, and what it carries, still unchecked. */
export type Message = {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
};

export type Woken =
  | { readonly ok: true; readonly wake: Wake }
  | { readonly ok: false; readonly why: string };

/** The door for messages: past it nobody checks their shape again. */
export function wakeFrom({ type, data }: Message, definition: ReconcileFunction): Woken {
  const kind = wakeKinds.find(({ name }) => name === type);
  if (kind === undefined) return { ok: false, why: `nothing decodes messages of kind ${type}` };

  const result = decode(kind.decoder, data);
  if (!result.ok) return { ok: false, why: describe(result.problems[0]) };
  return isFor(definition, result.value)
    ? { ok: true, wake: result.value }
    : { ok: false, why: `it is not for ${definition.name}` };
}

/** A handler reads a wake-up as being of the kind that it watches: another one's would be misread. */
function isFor({ name, trigger }: ReconcileFunction, wake: Wake): boolean {
  if (wake.kind === 'period') return wake.function === name;
  return watchesOf(trigger).some(({ of, wakes }) => {
    const woken = wakes !== undefined && 'owner' in wakes ? wakes.owner : (wakes?.all ?? of);
    return woken.group === wake.group && woken.resource === wake.resource;
  });
}
