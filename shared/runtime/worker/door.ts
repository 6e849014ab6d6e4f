import { type SetAffected, setAffected, type Wake } from '#events/kinds.ts';
import type { Delivery } from '#events/queue.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { decode, describe } from '#shared/domain/decode.ts';
import { wakeFrom } from '../wake.ts';

/** What a delivery turns out to be. */
export type Opened = Wake | SetAffected | { readonly kind: 'undecodable'; readonly why: string };

/** The door of the worker: past it nobody checks a message's shape again. */
export function openDelivery(
  { eventId: id, type, body }: Pick<Delivery, 'eventId' | 'type' | 'body'>,
  definition: ReconcileFunction,
): Opened {
  const parsed = parsedJson(body);
  if (!parsed.ok) return { kind: 'undecodable', why: 'the body is not JSON' };

  if (type === setAffected.name) {
    const set = decode(setAffected.decoder, parsed.value);
    return set.ok ? set.value : { kind: 'undecodable', why: describe(set.problems[0]) };
  }
  const woken = wakeFrom({ id, type, data: parsed.value }, definition);
  return woken.ok ? woken.wake : { kind: 'undecodable', why: woken.why };
}

type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

function parsedJson(body: string): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(body) };
  } catch {
    return { ok: false };
  }
}
