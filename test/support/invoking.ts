import { periodElapsed } from '#events/kinds.ts';
import type { Invoke } from '#shared/runtime/invoke/event-app.ts';
import type { Origin } from '#shared/runtime/invoke/origin.ts';
import type { Means } from '#shared/runtime/invoke/sqs-ending.ts';
import type { Ran } from '#shared/runtime/reconcile.ts';
import type { Message } from '#shared/runtime/wake.ts';
import { logRecorded } from './running.ts';

/** A door behind which each message's fate stands in its data, by name. */
export function doorWith(fates: Readonly<Record<string, Ran>> = {}) {
  const seen: Message[] = [];
  const deadlines: (number | undefined)[] = [];
  const invoke: Invoke = async (message, limits) => {
    seen.push(message);
    deadlines.push(limits?.deadlineMs);
    return fates[message.id] ?? { kind: 'done' };
  };
  return { name: 'follow-maps', invoke, log: logRecorded(), seen, deadlines };
}

type Buried = readonly [id: string, why: string];

/** A queue whose dead letters can be looked at; each of its calls may go wrong. */
export function meansWith(
  origin: Partial<Origin> = {},
  openUpkeep?: Means['openUpkeep'],
): Means & { readonly buried: readonly Buried[] } {
  const buried: Buried[] = [];
  const usual: Origin = {
    async bury({ messageId }, why) {
      buried.push([messageId, why]);
      return true;
    },
    renew: async (records) => records.map(() => ({ kind: 'foreign' })),
    settle: async () => true,
  };
  return { buried, openUpkeep, openOrigin: async () => ({ ...usual, ...origin }) };
}

export function eventOf(
  id: string,
  data: unknown = { kind: 'period', function: 'follow-maps' },
  type = periodElapsed.name as string,
) {
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: '/clusters/default',
    type,
    data,
  });
}
