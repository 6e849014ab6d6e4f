import { setAffected } from '#events/kinds.ts';
import { retry } from '#shared/domain/outcome.ts';
import type { Ran } from '../reconcile.ts';
import { type Door, unread } from './event-app.ts';
import { isRenewed, type Means, settleNow, settles } from './sqs-ending.ts';
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
const patienceMs = 3_000;
/** Of that reserve, for what was not run. */
const lastWordMs = 300;

type Given = Means & { readonly door: Door; readonly context: LambdaContext };

/** Groups side by side, the messages of one in their order; then those that may kill the process, each by itself. */
export function sqsBatch(door: Door, means: Means) {
  return async ({ Records }: SqsEvent, context: LambdaContext = {}): Promise<BatchAnswer> => {
    const given = { door, context, ...means };
    const { together, alone } = turnsOf(Records);
    const groups = await Promise.all(together.map((group) => runGroup(group, given)));
    const fates = groups.flat();
    let unsettled: readonly Fate[] = fates;
    for (const group of alone) {
      await settleAll(unsettled, given);
      unsettled = await runGroup(group, given);
      fates.push(...unsettled);
    }
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

type Fate = {
  readonly id: string;
  readonly record: SqsRecord;
  readonly isSettled: boolean;
  /** `undefined` where it was not run. */
  readonly ran: Ran | undefined;
};

/** The mapping settles by the answer, which a process that is killed never gives: then those that ran would be counted on. */
async function settleAll(fates: readonly Fate[], given: Given): Promise<void> {
  const settled = fates.filter(({ isSettled }) => isSettled).map(({ record }) => record);
  if (settled.length > 0) await settleNow(settled, { ...given, patienceMs: patienceOf(given) });
}

/** After a failure the later ones are not run: they would overtake it. */
async function runGroup(group: Group, given: Given): Promise<readonly Fate[]> {
  const fates: Fate[] = [];
  for (const record of group) {
    const isHeldUp = fates.some(({ isSettled }) => !isSettled);
    const isLate = leftMs(given) <= 0;
    fates.push(isHeldUp || isLate ? await unrun(record, given) : await fateOf(record, given));
  }
  return fates;
}

/** SQS has counted it all the same, and would bury it after ten as one that kills. */
async function unrun(record: SqsRecord, given: Given): Promise<Fate> {
  const patience = Math.max(patienceOf(given), lastWordMs);
  const isSettled = await isRenewed({ ...given, record, patienceMs: patience });
  return { id: record.messageId, record, isSettled, ran: undefined };
}

async function fateOf(record: SqsRecord, given: Given): Promise<Fate> {
  const { door, openUpkeep } = given;
  try {
    const opened = await openRecord(record, openUpkeep);
    const ran = await run(opened, given);
    const ending = { ...given, record, opened, patienceMs: patienceOf(given) };
    return { id: record.messageId, record, isSettled: await settles(ran, ending), ran };
  } catch (cause: unknown) {
    door.log.warn({ function: door.name, err: cause }, 'a message cannot be read yet');
    return unrun(record, given);
  }
}

function patienceOf(given: Given): number {
  return Math.min(patienceMs, leftMs(given));
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
