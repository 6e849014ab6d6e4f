import type { Ran } from '../reconcile.ts';
import { messageFrom } from './cloud-event.ts';
import { type Door, unread } from './event-app.ts';

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

/** Groups side by side, the messages of one in their order. */
export function sqsBatch(door: Door) {
  return async ({ Records }: SqsEvent, context: LambdaContext = {}): Promise<BatchAnswer> => {
    const groups = Map.groupBy(Records, groupOf).values();
    const fates = (
      await Promise.all([...groups].map((group) => runGroup(group, door, context)))
    ).flat();
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
async function runGroup(
  group: readonly SqsRecord[],
  door: Door,
  context: LambdaContext,
): Promise<readonly Fate[]> {
  const fates: Fate[] = [];
  for (const { messageId: id, body } of group) {
    const isHeldUp = fates.some(({ isSettled }) => !isSettled);
    const ran = isHeldUp ? undefined : await run(body, door, context);
    const isSettled = ran !== undefined && settles(ran);
    if (ran?.kind === 'later' || ran?.kind === 'retry') {
      door.log.warn(
        { function: door.name, id, outcome: ran },
        'nothing will run it again before its next message',
      );
    }
    fates.push({ id, isSettled, ran });
  }
  return fates;
}

async function run(body: string, door: Door, context: LambdaContext): Promise<Ran | undefined> {
  const left = (context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY) - reserveMs;
  if (left <= 0) return undefined;

  const read = messageFrom(body);
  return read.ok ? door.invoke(read.message, { deadlineMs: left }) : unread(read.why, door);
}

/** What no run can help is left to the queue, whose redrive policy buries it with its bytes. */
function settles({ kind }: Ran): boolean {
  return kind !== 'undecodable' && kind !== 'give-up';
}
