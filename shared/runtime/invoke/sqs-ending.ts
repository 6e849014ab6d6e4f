import { maxReceived } from '#events/queue.ts';
import type { Ran } from '../reconcile.ts';
import type { Door } from './event-app.ts';
import type { OpenOrigin } from './origin.ts';
import type { Opened, SqsRecord } from './sqs-record.ts';
import { countOf } from './sqs-turns.ts';
import type { OpenUpkeep } from './upkeep.ts';

/** What brings a message to its end beside the answer to the event source mapping. */
export type Means = {
  /** Without it nothing would run a message again: then `later` and `retry` are left to the queue. */
  readonly openUpkeep: OpenUpkeep | undefined;
  readonly openOrigin: OpenOrigin;
};

export type Ending = Means & {
  readonly door: Door;
  readonly record: SqsRecord;
  readonly opened: Opened;
  /** How long SQS may take from now on: in a network that does not lead there no call ends by itself. */
  readonly patienceMs: () => number;
  /** The same for what is put on the queue again, which is the last word on a message. */
  readonly lastWordMs: () => number;
};

/** `over` and `renewed` the mapping may settle; a renewed one is behind its group. What stays is received again: late, and not lost. */
export type End = 'over' | 'renewed' | 'stays';

export async function endOf(ran: Ran, ending: Ending): Promise<End> {
  if (await isEnded(ran, ending)) return 'over';
  return isBuried(ran) ? 'stays' : renewedInTime(ending);
}

async function isEnded(ran: Ran, ending: Ending): Promise<boolean> {
  const { door, opened } = ending;
  try {
    const isOver = await isBroughtToEnd(ran, ending);
    const keptId = opened.kind === 'message' ? opened.keptId : undefined;
    if (isOver && keptId !== undefined && !isBuried(ran)) await forget(keptId, ending);
    return isOver;
  } catch (cause: unknown) {
    const fields = { function: door.name, outcome: ran.kind, err: cause };
    door.log.warn(fields, 'a message could not be brought to its end, and stays on the queue');
    return false;
  }
}

/** With a receive or two left, should SQS not take it at once. */
const renewedAt = maxReceived - 2;

/** Received ten times it would be buried as crashed; while a database is away, or there is none, nothing has crashed. */
export async function renewedInTime(ending: Unended): Promise<Exclude<End, 'over'>> {
  return countOf(ending.record) < renewedAt ? 'stays' : renewed(ending);
}

type Unended = Omit<Ending, 'opened'>;

/** However often it was received. */
export async function renewed(ending: Unended): Promise<Exclude<End, 'over'>> {
  const { door, record, openOrigin, lastWordMs } = ending;
  try {
    const isRenewed = await within(lastWordMs(), (await openOrigin()).renew(record));
    return isRenewed ? 'renewed' : 'stays';
  } catch (cause: unknown) {
    door.log.warn({ function: door.name, err: cause }, 'a message was not put on the queue again');
    return 'stays';
  }
}

/** Before the mapping does. Where that fails, it does so by the answer. */
export async function settleNow(
  records: readonly SqsRecord[],
  { door, openOrigin, patienceMs }: Omit<Ending, 'opened' | 'record' | 'lastWordMs'>,
): Promise<void> {
  try {
    const { settle: end } = await openOrigin();
    await within(patienceMs(), Promise.all(records.map((record) => end(record))));
  } catch (cause: unknown) {
    door.log.warn({ function: door.name, err: cause }, 'messages that ran were not settled yet');
  }
}

/** Then a dead letter refers to the body. */
function isBuried({ kind }: Ran): boolean {
  return kind === 'give-up' || kind === 'undecodable';
}

async function isBroughtToEnd(ran: Ran, ending: Ending): Promise<boolean> {
  switch (ran.kind) {
    case 'done':
      return true;
    case 'give-up':
    case 'undecodable':
      return bury(ran.why, ending);
    case 'later':
    case 'retry':
    case 'conflict':
      return schedule(ran, ending);
  }
}

async function schedule(ran: Ran, { opened, openUpkeep }: Ending): Promise<boolean> {
  const enveloped = opened.kind === 'message' ? opened.enveloped : undefined;
  if (enveloped === undefined || openUpkeep === undefined) return false;
  return (await openUpkeep()).schedule(enveloped, ran);
}

async function bury(why: string, { door, record, openOrigin, patienceMs }: Ending) {
  const origin = await openOrigin();
  const isBuried = await within(patienceMs(), origin.bury(record, why));
  const fields = { function: door.name, messageId: record.messageId, why };
  if (isBuried) door.log.error(fields, 'a message is buried');
  return isBuried;
}

/** In this order, as a worker does: what is received once more must not find that its body is gone. */
async function forget(keptId: string, ending: Ending): Promise<void> {
  const { door, record, openOrigin, openUpkeep, patienceMs } = ending;
  try {
    const origin = await openOrigin();
    const isSettled = await within(patienceMs(), origin.settle(record));
    if (isSettled) await (await openUpkeep?.())?.forget(keptId);
  } catch (cause: unknown) {
    // It goes with what is swept out of the outbox.
    door.log.warn({ function: door.name, err: cause }, 'a body that nobody needs was not dropped');
  }
}

/** What ends late is no harm: a dead letter more. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`SQS did not answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
