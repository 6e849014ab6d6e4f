import { setAffected } from '#events/kinds.ts';
import { retry } from '#shared/domain/outcome.ts';
import type { Ran } from '../reconcile.ts';
import { type Door, unread } from './event-app.ts';
import {
  type End,
  type Ending,
  endOf,
  type Means,
  renewed,
  renewedInTime,
  settleNow,
} from './sqs-ending.ts';
import { type Opened, openRecord, type SqsRecord } from './sqs-record.ts';
import { type Group, turnsOf } from './sqs-turns.ts';

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
/** Of that reserve, what the last words on messages may not use either: without an answer the whole batch has failed. */
const answerMs = 200;
const patienceMs = 3_000;

type Given = Means &
  Pick<Ending, 'door' | 'patienceMs' | 'lastWordMs'> & {
    readonly context: LambdaContext;
  };

/** Groups side by side, the messages of one in their order; then those that may kill the process, each by itself. */
export function sqsBatch(door: Door, means: Means) {
  return async ({ Records }: SqsEvent, context: LambdaContext = {}): Promise<BatchAnswer> => {
    const lastWordMs = () => patienceOf(remainingMs(context) - answerMs);
    const given: Given = {
      ...{ ...means, door, context, lastWordMs },
      patienceMs: () => patienceOf(leftMs({ context })),
    };
    const { together, alone } = turnsOf(Records);
    const groups = await Promise.all(together.map((group) => runGroup(group, given)));
    return answerOf([...groups.flat(), ...(await runAlone(alone, groups.flat(), given))]);
  };
}

function answerOf(fates: readonly Fate[]): BatchAnswer {
  return {
    batchItemFailures: fates.flatMap(({ id, end }) =>
      end === 'stays' ? [{ itemIdentifier: id }] : [],
    ),
    outcomes: fates.flatMap(({ id, ran }) =>
      ran === undefined ? [] : [{ itemIdentifier: id, outcome: ran }],
    ),
  };
}

type Fate = {
  readonly id: string;
  readonly record: SqsRecord;
  readonly end: End;
  /** `undefined` where it was not run. */
  readonly ran: Ran | undefined;
};

/** Those that there is no time for do not run, so they need not wait for each other. */
async function runAlone(
  [group, ...others]: readonly Group[],
  before: readonly Fate[],
  given: Given,
): Promise<readonly Fate[]> {
  if (group === undefined) return [];
  if (!isLate(given)) await settleAll(before, given);
  if (isLate(given)) {
    const all = await Promise.all([group, ...others].map((each) => runGroup(each, given)));
    return all.flat();
  }
  const fates = await runGroup(group, given);
  return [...fates, ...(await runAlone(others, fates, given))];
}

/** The mapping settles by the answer, which a process that is killed never gives: then those that ran would be counted on. */
async function settleAll(fates: readonly Fate[], given: Given): Promise<void> {
  const settled = fates.filter(({ end }) => end !== 'stays').map(({ record }) => record);
  if (settled.length > 0) await settleNow(settled, given);
}

/** After a failure the later ones are not run: they would overtake it. */
async function runGroup(group: Group, given: Given): Promise<readonly Fate[]> {
  const fates: Fate[] = [];
  for (const record of group) {
    const isHeldUp = fates.some(({ end }) => end !== 'over');
    // It went behind its group, and what comes after it follows.
    const isRenewed = fates.some(({ end }) => end === 'renewed');
    if (isRenewed) fates.push(await unrun(record, given, renewed));
    else if (isHeldUp || isLate(given)) fates.push(await unrun(record, given, renewedInTime));
    else fates.push(await fateOf(record, given));
  }
  return fates;
}

/** SQS has counted it all the same, and would bury it after ten as one that kills. */
async function unrun(record: SqsRecord, given: Given, renew: typeof renewed): Promise<Fate> {
  const end = await renew({ ...given, record });
  return { id: record.messageId, record, end, ran: undefined };
}

async function fateOf(record: SqsRecord, given: Given): Promise<Fate> {
  const { door, openUpkeep } = given;
  try {
    const opened = await openRecord(record, openUpkeep);
    const ran = await run(opened, given);
    return {
      id: record.messageId,
      record,
      end: await endOf(ran, { ...given, record, opened }),
      ran,
    };
  } catch (cause: unknown) {
    door.log.warn({ function: door.name, err: cause }, 'a message cannot be read yet');
    return unrun(record, given, renewedInTime);
  }
}

function isLate(given: Given): boolean {
  return leftMs(given) <= 0;
}

function leftMs({ context }: Pick<Given, 'context'>): number {
  return remainingMs(context) - reserveMs;
}

function patienceOf(ms: number): number {
  return Math.max(0, Math.min(patienceMs, ms));
}

function remainingMs(context: LambdaContext): number {
  return context.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY;
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
