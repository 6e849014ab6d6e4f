import type { SetAffected } from '#events/kinds.ts';
import { messageFor } from '#events/messages.ts';
import type { Outgoing, Sender } from '#events/queue.ts';
import type { Schedule } from '#events/schedule.ts';
import { sortedOut, type Unsent } from '#events/sendable.ts';
import { done, type Outcome } from '#shared/domain/outcome.ts';
import { type Found, type Look, type Member, planSet } from './plan-set.ts';

/** Of a set: those after its `after`, in the order of their uids. */
export type Members = (set: SetAffected, max: number) => Promise<Found>;

export type Expanding = {
  readonly functionName: string;
  /** What concerned the set. */
  readonly eventId: string;
  /** How often it was tried before. */
  readonly attempt: number;
  readonly members: Members;
  readonly sender: Sender;
  /** For looking at the set again. */
  readonly schedule: Pick<Schedule, 'add'>;
  /** One that no queue takes a message for, told as often as the page is sent: all others are woken. */
  readonly tell: (unsent: Unsent) => void;
  readonly pageSize?: number;
};

/**
 * All of a set, page by page, before anything that its members' runs cause: pages that wait for their turn on the queue
 * would wait behind all that. Whoever dies on the way begins anew, and what still waits absorbs it.
 */
export async function expand(
  set: SetAffected,
  { stopped, ...expanding }: Expanding & { readonly stopped?: AbortSignal },
): Promise<Outcome> {
  for (let rest: SetAffected | undefined = set; rest !== undefined && !stopped?.aborted; ) {
    const page: Page | Outcome = await pageOf(rest, expanding);
    if (page.kind !== 'page') return page;
    await expanding.sender.send(page.messages);
    rest = page.rest;
  }
  return done;
}

/** For whoever has not much time: a message for each of one page, and one for the pages after it. All of them or none. */
export async function expandPage(set: SetAffected, expanding: Expanding): Promise<Outcome> {
  const page = await pageOf(set, expanding);
  if (page.kind !== 'page') return page;
  const { messages, rest } = page;
  const { functionName, eventId, sender } = expanding;
  await sender.send([...(rest ? [messageFor(functionName, rest, eventId)] : []), ...messages]);
  return done;
}

type Page = {
  readonly kind: 'page';
  readonly messages: readonly Outgoing[];
  readonly rest: SetAffected | undefined;
};

async function pageOf(asked: SetAffected, expanding: Expanding): Promise<Page | Outcome> {
  const { attempt, members, pageSize = 500 } = expanding;
  const plan = planSet(asked, await members(asked, pageSize), attempt);
  // First, so that whoever dies after it has left it behind.
  if (plan.look !== undefined) await putOff(plan.look, expanding);
  if (plan.kind === 'end') return plan.outcome;

  const { set, page } = plan;
  const { functionName, eventId, tell } = expanding;
  const last = page.at(-1);
  const { sent, unsent } = sortedOut(
    page.map((of) => ({
      of,
      message: messageFor(functionName, wakeOf(set, of), `${eventId}/${of.uid}`),
    })),
  );
  for (const each of unsent) tell(each);
  return {
    kind: 'page',
    messages: sent,
    rest: last === undefined || page.length < pageSize ? undefined : { ...set, after: last.uid },
  };
}

async function putOff({ set, afterMs }: Look, expanding: Expanding): Promise<void> {
  const { functionName, eventId, schedule } = expanding;
  const message = messageFor(functionName, set, eventId);
  await schedule.add([{ message, reason: 'later', afterMs }]);
}

function wakeOf({ cluster, group, resource }: SetAffected, member: Member) {
  const { namespace, name, uid } = member;
  return {
    kind: 'object',
    cluster,
    group,
    resource,
    namespace,
    name,
    uid,
    deleted: false,
  } as const;
}
