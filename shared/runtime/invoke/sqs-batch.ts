import { setAffected } from '#events/kinds.ts';
import { maxReceived } from '#events/queue.ts';
import type { Unsent } from '#events/sendable.ts';
import { within } from '#shared/adapters/within.ts';
import { retry } from '#shared/domain/outcome.ts';
import type { Ran } from '../reconcile.ts';
import { openTellUnsent, type TellUnsent } from '../worker/unsent-members.ts';
import { type Door, unread } from './event-app.ts';
import { type End, endOf, type Means, type Patience, renewed, settleNow } from './sqs-ending.ts';
import { type Opened, openRecord, type SqsRecord } from './sqs-record.ts';
import { countOf, type Group, turnsOf } from './sqs-turns.ts';

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
/** For a page of a set. */
const expandingMs = 30_000;

type Given = Means &
  Patience & {
    readonly door: Door;
    readonly context: LambdaContext;
    readonly tellUnsent: TellUnsent;
  };

/** Groups side by side, the messages of one in their order; then those that may kill the process, each by itself. */
export function sqsBatch(door: Door, means: Means) {
  const tellUnsent = openTellUnsent(door.log);
  return async ({ Records }: SqsEvent, context: LambdaContext = {}): Promise<BatchAnswer> => {
    const lastWordMs = () => patienceOf(remainingMs(context) - answerMs);
    const given: Given = {
      ...{ ...means, door, context, lastWordMs, tellUnsent },
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
      isSettled(end) ? [] : [{ itemIdentifier: id }],
    ),
    outcomes: fates.flatMap(({ id, ran }) =>
      ran === undefined ? [] : [{ itemIdentifier: id, outcome: ran }],
    ),
  };
}

type Fate = {
  readonly id: string;
  readonly record: SqsRecord;
  /** What was renewed is behind its group. */
  readonly end: End | 'renewed';
  /** `undefined` where it was not run. */
  readonly ran: Ran | undefined;
};

/** By the mapping: what is not is received again, late and not lost. */
function isSettled(end: Fate['end']): boolean {
  return end === 'over' || end === 'renewed';
}

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
  const settled = fates.filter(({ end }) => isSettled(end)).map(({ record }) => record);
  if (settled.length > 0) await settleNow(settled, given);
}

/** After a failure the later ones are not run: they would overtake it. */
async function runGroup(group: Group, given: Given): Promise<readonly Fate[]> {
  const fates: Fate[] = [];
  for (const [at, record] of group.entries()) {
    const fate = isLate(given) ? unrun(record) : await fateOf(record, given);
    if (fate.end !== 'over') {
      const held = [fate, ...group.slice(at + 1).map(unrun)];
      return [...fates, ...(await renewedInTime(held, given))];
    }
    fates.push(fate);
  }
  return fates;
}

function unrun(record: SqsRecord): Fate {
  return { id: record.messageId, record, end: 'waits', ran: undefined };
}

/** With a receive or two left, should SQS not take it at once. */
const renewedAt = maxReceived - 2;

/**
 * SQS has counted them, run or not, and would bury them after ten as what kills; while a database is away, or there is
 * none, nothing has crashed. One goes behind its group, and what comes after it follows.
 */
async function renewedInTime(held: readonly Fate[], given: Given): Promise<readonly Fate[]> {
  const from = held.findIndex(({ end, record }) => end === 'waits' && countOf(record) >= renewedAt);
  if (from === -1) return held;
  const behind = held.slice(from);
  const records = behind.map(({ record }) => record);
  if (!(await renewed(records, given))) return held;
  return [...held.slice(0, from), ...behind.map((fate) => ({ ...fate, end: 'renewed' as const }))];
}

async function fateOf(record: SqsRecord, given: Given): Promise<Fate> {
  const { door, openUpkeep } = given;
  try {
    const opened = await within(given.patienceMs(), openRecord(record, openUpkeep));
    const ran = await run(opened, given);
    const end = await endOf(ran, { ...given, record, opened });
    return { id: record.messageId, record, end, ran };
  } catch (cause: unknown) {
    door.log.warn({ function: door.name, err: cause }, 'a message cannot be read yet');
    return unrun(record);
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
  if (message.type === setAffected.name && openUpkeep !== undefined) return runSet(opened, given);
  // Where nothing puts it on a schedule its attempts would stay what they are, and it would be left to others for ever.
  const isCounted = openUpkeep !== undefined && opened.enveloped !== undefined;
  const counted = isCounted ? message : { ...message, attempt: undefined };
  return door.invoke(counted, { deadlineMs: leftMs(given) });
}

type OpenedMessage = Extract<Opened, { readonly kind: 'message' }>;

async function runSet({ enveloped, message: { id } }: OpenedMessage, given: Given): Promise<Ran> {
  const { door, openUpkeep, tellUnsent } = given;
  const tell = (unsent: Unsent) => tellUnsent(unsent, { id });
  const expand = async () => enveloped && (await openUpkeep?.())?.expand(enveloped, tell);
  try {
    const ms = Math.min(expandingMs, leftMs(given));
    return (await within(ms, expand())) ?? unread('it is no set', door);
  } catch (cause: unknown) {
    door.log.error({ function: door.name, id, err: cause }, 'a set was not expanded');
    return retry('it failed');
  }
}
