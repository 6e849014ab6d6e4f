import { type SetAffected, setAffected, type Wake } from '#events/kinds.ts';
import type { Delivery } from '#events/queue.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { decode, describe } from '#shared/domain/decode.ts';
import { jsonIn } from '#shared/domain/json.ts';
import { wakeFrom } from '../wake.ts';

/** What a delivery turns out to be. */
export type Opened = Wake | SetAffected | { readonly kind: 'undecodable'; readonly why: string };

/** The door of the worker: past it nobody checks a message's shape again. */
export function openDelivery(
  { eventId: id, type, body }: Pick<Delivery, 'eventId' | 'type' | 'body'>,
  definition: ReconcileFunction,
): Opened {
  const data = jsonIn(body);
  if (data === undefined) return { kind: 'undecodable', why: 'the body is not JSON' };

  if (type === setAffected.name) {
    const set = decode(setAffected.decoder, data);
    return set.ok ? set.value : { kind: 'undecodable', why: describe(set.problems[0]) };
  }
  const woken = wakeFrom({ id, type, data }, definition);
  return woken.ok ? woken.wake : { kind: 'undecodable', why: woken.why };
}
