import { type SetAffected, setAffected, type Wake } from '#events/kinds.ts';
import type { Delivery } from '#events/queue.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { decode, describe } from '#shared/domain/decode.ts';
import { jsonIn } from '#shared/domain/json.ts';
import { type Unfit, undecodable, wakeFrom, whyNotFor } from '../wake.ts';

/** What a delivery turns out to be. */
export type Opened =
  | { readonly payload: Wake | SetAffected; readonly unfit?: undefined }
  | { readonly payload: Wake | SetAffected | undefined; readonly unfit: Unfit };

/** The door of the worker: past it nobody checks a message's shape again. */
export function openDelivery(
  { eventId: id, type, body, attempt }: Pick<Delivery, 'eventId' | 'type' | 'body' | 'attempt'>,
  definition: ReconcileFunction,
): Opened {
  const data = jsonIn(body);
  if (data === undefined) return { payload: undefined, unfit: undecodable('the body is not JSON') };
  if (type === setAffected.name) return openSet(data, definition, attempt);

  const woken = wakeFrom({ id, type, data, attempt }, definition);
  return woken.ok ? { payload: woken.wake } : { payload: woken.wake, unfit: woken.unfit };
}

function openSet(data: unknown, definition: ReconcileFunction, attempt: number): Opened {
  const set = decode(setAffected.decoder, data);
  if (!set.ok) return { payload: undefined, unfit: undecodable(describe(set.problems[0])) };
  const payload = set.value;
  const unfit = whyNotFor(definition, payload, attempt);
  return unfit === undefined ? { payload } : { payload, unfit };
}
