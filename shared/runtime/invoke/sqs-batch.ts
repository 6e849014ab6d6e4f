import { setAffected } from '#events/kinds.ts';
import { done, retry } from '#shared/domain/outcome.ts';
import type { Ran } from '../reconcile.ts';
import type { Message } from '../wake.ts';
import { messageFrom } from './cloud-event.ts';
import { type Door, unread } from './event-app.ts';
import type { Upkeep } from './upkeep.ts';

/** What Lambda hands over, as far as it is read here. */
export type SqsEvent = { readonly Records: readonly SqsRecord[] };

export type SqsRecord = {
  readonly messageId: string;
  readonly body: string;
  readonly attributes?: { readonly MessageGroupId?: string };
};

export type LambdaContext = { getRemainingTimeInMillis?(): number };

export type BatchAnswer = {
  /** These are received again; all others are settled. */
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
  /** For whoever called by hand; the event source mapping does not look at it. */
  readonly outcomes: readonly { readonly itemIdentifier: string; readonly outcome: Ran }[];
};

/** Time to answer in, which no run may use. */
const reserveMs = 500;

/** Without it nothing would run a message again: then `later` and `retry` are left to the queue. */
export type OpenUpkeep = () => Promise<Upkeep>;

type Given = {
  readonly door: Door;
  readonly openUpkeep: OpenUpkeep | undefined;
  readonly context: LambdaContext;
};

/** Groups side by side, the messages of one in their order. */
export function sqsBatch(door: Door, openUpkeep?: OpenUpkeep) {
  return async ({ Records }: SqsEvent, context: LambdaContext = {}): Promise<BatchAnswer> => {
    const given = { door, openUpkeep, context };
    const groups = Map.groupBy(Records, groupOf).values();
    const fates = (await Promise.all([...groups].map((group) => runGroup(group, given)))).flat();
    return {
      batchItemFailures: fates.flatMap(({ id, isSettled }) =>
        isSettled ? [] : [{ itemIdentifier: id }],
      ),
      outcomes: fates.flatMap(({ id, ran }) =>
        ran === undefined ? [] : [{ itemIdentifier: id, outcome: ran }],
      ),
    };
  };
}

/** A queue without groups promises no order: each message is a group of its own. */
function groupOf({ attributes, messageId }: SqsRecord): string {
  return attributes?.MessageGroupId ?? messageId;
}

type Fate = {
  readonly id: string;
  readonly isSettled: boolean;
  /** `undefined` where it was not run. */
  readonly ran: Ran | undefined;
};

/** After a failure the later ones are not run: they would overtake it. */
async function runGroup(group: readonly SqsRecord[], given: Given): Promise<readonly Fate[]> {
  const fates: Fate[] = [];
  for (const { messageId: id, body } of group) {
    const isHeldUp = fates.some(({ isSettled }) => !isSettled);
    const ran = isHeldUp ? undefined : await run(body, given);
    const isSettled = ran !== undefined && (await settles(ran, body, given));
    fates.push({ id, isSettled, ran });
  }
  return fates;
}

async function run(body: string, { door, openUpkeep, context }: Given): Promise<Ran | undefined> {
  const left = (context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) - reserveMs;
  if (left <= 0) return undefined;

  const read = messageFrom(body);
  if (!read.ok) return unread(read.why, door);
  const isSet = read.message.type === setAffected.name && openUpkeep !== undefined;
  return isSet
    ? runSet(read.message, body, { door, openUpkeep })
    : door.invoke(read.message, { deadlineMs: left });
}

type Expanding = { readonly door: Door; readonly openUpkeep: OpenUpkeep };

async function runSet(
  { id }: Message,
  body: string,
  { door, openUpkeep }: Expanding,
): Promise<Ran> {
  try {
    const expanded = await (await openUpkeep()).expand(body);
    return expanded === undefined ? unread('it is no set', door) : done;
  } catch (cause: unknown) {
    door.log.error({ function: door.name, id, err: cause }, 'a set was not expanded');
    return retry('it failed');
  }
}

/** What no run can help is left to the queue, whose redrive policy buries it with its bytes. */
async function settles(ran: Ran, body: string, { door, openUpkeep }: Given): Promise<boolean> {
  if (ran.kind === 'done') return true;
  if (ran.kind === 'undecodable' || ran.kind === 'give-up' || openUpkeep === undefined)
    return false;
  try {
    return await (await openUpkeep()).schedule(body, ran);
  } catch (cause: unknown) {
    // Received again after its visibility: later than it should be, and not lost.
    const fields = { function: door.name, outcome: ran.kind, err: cause };
    door.log.warn(fields, 'the schedule did not answer; the message stays on the queue');
    return false;
  }
}
