import type { SetAffected } from '#events/kinds.ts';
import { messageFor } from '#events/messages.ts';
import type { Outgoing, Sender } from '#events/queue.ts';
import { sortedOut, type Unsent } from '#events/sendable.ts';
import { done, later, type Outcome } from '#shared/domain/outcome.ts';

/** One that lives, as the mirror has it. */
export type Member = { readonly namespace: string; readonly name: string; readonly uid: string };

/** Of a set: those after its `after`, in the order of their uids. `undefined`: their kind is not listed yet. */
export type Members = (set: SetAffected, max: number) => Promise<readonly Member[] | undefined>;

/** Whoever is not in the mirror yet would never hear of what concerned the set. */
const notListed = later(5);

export type Expanding = {
  readonly functionName: string;
  /** What concerned the set. */
  readonly eventId: string;
  readonly members: Members;
  readonly sender: Sender;
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
    const page: Page | undefined = await pageOf(rest, expanding);
    if (page === undefined) return notListed;
    await expanding.sender.send(page.messages);
    rest = page.rest;
  }
  return done;
}

/** For whoever has not much time: a message for each of one page, and one for the pages after it. All of them or none. */
export async function expandPage(set: SetAffected, expanding: Expanding): Promise<Outcome> {
  const page = await pageOf(set, expanding);
  if (page === undefined) return notListed;
  const { messages, rest } = page;
  const { functionName, eventId, sender } = expanding;
  await sender.send([...(rest ? [messageFor(functionName, rest, eventId)] : []), ...messages]);
  return done;
}

type Page = { readonly messages: readonly Outgoing[]; readonly rest: SetAffected | undefined };

async function pageOf(set: SetAffected, expanding: Expanding): Promise<Page | undefined> {
  const { functionName, eventId, members, tell, pageSize = 500 } = expanding;
  const page = await members(set, pageSize);
  if (page === undefined) return undefined;
  const last = page.at(-1);
  const { sent, unsent } = sortedOut(
    page.map((of) => ({
      of,
      message: messageFor(functionName, wakeOf(set, of), `${eventId}/${of.uid}`),
    })),
  );
  for (const each of unsent) tell(each);
  return {
    messages: sent,
    rest: last === undefined || page.length < pageSize ? undefined : { ...set, after: last.uid },
  };
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
