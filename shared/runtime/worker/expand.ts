import type { SetAffected } from '#events/kinds.ts';
import { messageFor } from '#events/messages.ts';
import type { Sender } from '#events/queue.ts';

/** One that lives, as the mirror has it. */
export type Member = { readonly namespace: string; readonly name: string; readonly uid: string };

/** Of a set: those after its `after`, in the order of their uids. */
export type Members = (set: SetAffected, max: number) => Promise<readonly Member[]>;

export type Expanding = {
  readonly functionName: string;
  /** What concerned the set. */
  readonly eventId: string;
  readonly members: Members;
  readonly sender: Sender;
  readonly pageSize?: number;
};

/** One page of a set becomes a message for each, and one for the pages after it: all of them or none. */
export async function expand(set: SetAffected, expanding: Expanding): Promise<number> {
  const { functionName, eventId, members, sender, pageSize = 500 } = expanding;
  const page = await members(set, pageSize);
  const messages = page.map((member) =>
    messageFor(functionName, wakeOf(set, member), `${eventId}/${member.uid}`),
  );
  const last = page.at(-1);
  const rest =
    last === undefined || page.length < pageSize
      ? []
      : [messageFor(functionName, { ...set, after: last.uid }, eventId)];
  // These first: else the pages after it would wait behind whatever its members' runs cause.
  await sender.send([...rest, ...messages]);
  return page.length;
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
