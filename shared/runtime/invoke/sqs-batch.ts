import { setAffected } from '#events/kinds.ts';
import { retry } from '#shared/domain/outcome.ts';
import type { Ran } from '../reconcile.ts';
import { type Door, unread } from './event-app.ts';
import { isRenewed, type Means, settles } from './sqs-ending.ts';
import { type Opened, openRecord, type SqsRecord } from './sqs-record.ts';

/** What Lambda hands over, as far as it is read here. */
export type SqsEvent = { readonly Records: readonly SqsRecord[] };

export type LambdaContext = { getRemainingTimeInMillis?(): number };

export type BatchAnswer = {
  /** These are received again; all others are settled. */
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
  /** For whoever called by hand; the event source mapping does not look at it. */
  readonly outcomes: readonly { readonly itemIdentifier: string; readonly outcome: Ran }[];
};

/** Time to answer in, which no run may use. */
const reserveMs = 500;
const patienceMs = 3_000;

type Given = Means & { readonly door: Door; readonly context: LambdaContext };

/** Groups side by side, the messages of one in their order. */
export function sqsBatch(door: Door, means: Means) {
  return async ({ Records }: SqsEvent, context: LambdaContext = {}): Promise<BatchAnswer> => {
    const given = { door, context, ...means };
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
  for (const record of group) {
    const isHeldUp = fates.some(({ isSettled }) => !isSettled);
    fates.push(isHeldUp ? unrun(record) : await fateOf(record, given));
  }
  return fates;
}

function unrun({ messageId: id }: SqsRecord): Fate {
  return { id, isSettled: false, ran: undefined };
}

async function fateOf(record: SqsRecord, given: Given): Promise<Fate> {
  const { door, openUpkeep } = given;
  if (leftMs(given) <= 0) return unrun(record);
  try {
    const opened = await openRecord(record, openUpkeep);
    const ran = await run(opened, given);
    const patience = Math.min(patienceMs, leftMs(given));
    const isSettled = await settles(ran, { ...given, record, opened, patienceMs: patience });
    return { id: record.messageId, isSettled, ran };
  } catch (cause: unknown) {
    door.log.warn({ function: door.name, err: cause }, 'a message cannot be read yet');
    const patience = Math.min(patienceMs, leftMs(given));
    const isSettled = await isRenewed({ ...given, record, patienceMs: patience });
    return { ...unrun(record), isSettled };
  }
}

function leftMs({ context }: Given): number {
  return (context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) - reserveMs;
}

async function run(opened: Opened, given: Given): Promise<Ran> {
  const { door, openUpkeep } = given;
  if (opened.kind === 'undecodable') return unread(opened.why, door);
  const { message } = opened;
  return message.type === setAffected.name && openUpkeep !== undefined
    ? runSet(opened, given)
    : door.invoke(message, { deadlineMs: leftMs(given) });
}

type OpenedMessage = Extract<Opened, { readonly kind: 'message' }>;

async function runSet(
  { enveloped, message: { id } }: OpenedMessage,
  { door, openUpkeep }: Given,
): Promise<Ran> {
  try {
    const upkeep = await openUpkeep?.();
    const expanded = enveloped && (await upkeep?.expand(enveloped));
    return expanded ?? unread('it is no set', door);
  } catch (cause: unknown) {
    door.log.error({ function: door.name, id, err: cause }, 'a set was not expanded');
    return retry('it failed');
  }
}
