import { comesAgain } from '#events/kinds.ts';
import { within } from '#shared/adapters/within.ts';
import type { Ran } from '../reconcile.ts';
import type { Door } from './event-app.ts';
import type { OpenOrigin, Origin } from './origin.ts';
import type { Opened, SqsRecord } from './sqs-record.ts';
import { countOf } from './sqs-turns.ts';
import type { OpenUpkeep } from './upkeep.ts';

/** What brings a message to its end beside the answer to the event source mapping. */
export type Means = {
  /** Without it nothing would run a message again: then `later` and `retry` are left to the queue. */
  readonly openUpkeep: OpenUpkeep | undefined;
  readonly openOrigin: OpenOrigin;
};

/** How long others may take from now on: in a network that does not lead to them no call ends by itself. */
export type Patience = {
  readonly patienceMs: () => number;
  /** The same for what decides whether a message is lost, or runs again: it may use what is left after the runs. */
  readonly lastWordMs: () => number;
};

export type Ending = Means &
  Patience & {
    readonly door: Door;
    readonly record: SqsRecord;
    readonly opened: Opened;
  };

/** `over` the mapping may settle. What stays is received again; what waits may also be put on the queue anew. */
export type End = 'over' | 'waits' | 'stays';

export async function endOf(ran: Ran, ending: Ending): Promise<End> {
  const { door } = ending;
  try {
    return await broughtTo(ran, ending);
  } catch (cause: unknown) {
    const fields = { function: door.name, outcome: ran.kind, err: cause };
    door.log.warn(fields, 'a message could not be brought to its end, and stays on the queue');
    return isBuried(ran) ? 'stays' : 'waits';
  }
}

const notRenewed = 'a message was not put on the queue again';

/**
 * Behind their group, in their order, as nobody has received them yet. Whether SQS took all of them: one that it refused
 * would come before those that it stood behind. Into a queue that is not ours nothing is put.
 */
export async function renewed(
  records: readonly SqsRecord[],
  { door, openOrigin, lastWordMs }: Omit<Ending, 'opened' | 'record'>,
): Promise<boolean> {
  try {
    const renew = (origin: Origin) => origin.renew(records);
    const renewals = await within(lastWordMs(), openOrigin().then(renew));
    const refused = renewals.filter((renewal) => renewal.kind === 'refused');
    for (const { why } of refused) door.log.warn({ function: door.name, why }, notRenewed);
    return renewals.every(({ kind }) => kind === 'renewed');
  } catch (cause: unknown) {
    door.log.warn({ function: door.name, err: cause }, notRenewed);
    return false;
  }
}

/** Before the mapping does. Where that fails, it does so by the answer. */
export async function settleNow(
  records: readonly SqsRecord[],
  { door, openOrigin, patienceMs }: Omit<Ending, 'opened' | 'record'>,
): Promise<void> {
  try {
    const settle = (origin: Origin) => Promise.all(records.map(origin.settle));
    await within(patienceMs(), openOrigin().then(settle));
  } catch (cause: unknown) {
    door.log.warn({ function: door.name, err: cause }, 'messages that ran were not settled yet');
  }
}

function isBuried({ kind }: Ran): boolean {
  return kind === 'give-up' || kind === 'undecodable';
}

async function broughtTo(ran: Ran, ending: Ending): Promise<End> {
  switch (ran.kind) {
    case 'done':
      return over(ending);
    case 'give-up':
      return isOfPeriod(ending) ? over(ending) : buried(ran, ending);
    case 'undecodable':
      return buried(ran, ending);
    case 'later':
    case 'retry':
    case 'conflict':
      return scheduled(ran, ending);
  }
}

function isOfPeriod({ opened }: Ending): boolean {
  return opened.kind === 'message' && comesAgain(opened.message.type);
}

/**
 * Nobody needs its body any more, where it was received once: of what is buried, the dead letter refers to it, and an
 * earlier receive may have buried it and got no further.
 */
async function over(ending: Ending): Promise<End> {
  const { opened, record } = ending;
  const keptId = opened.kind === 'message' ? opened.keptId : undefined;
  if (keptId !== undefined && countOf(record) === 1) await forget(keptId, ending);
  return 'over';
}

async function scheduled(ran: Ran, ending: Ending): Promise<End> {
  const { opened, openUpkeep, patienceMs, lastWordMs } = ending;
  const enveloped = opened.kind === 'message' ? opened.enveloped : undefined;
  if (enveloped === undefined || openUpkeep === undefined) return 'waits';
  // Some of the last word is left for the queue, where the database does not answer.
  const ms = Math.max(patienceMs(), lastWordMs() / 2);
  const fate = await within(
    ms,
    openUpkeep().then((upkeep) => upkeep.schedule(enveloped, ran)),
  );
  return fate.kind === 'bury' ? buried(fate, ending) : over(ending);
}

type Burial = { readonly why: string; readonly cause?: unknown };

async function buried({ why, cause }: Burial, ending: Ending): Promise<End> {
  const { door, record, openOrigin, lastWordMs } = ending;
  const putAside = (origin: Origin) => origin.bury(record, why);
  const isPutAside = await within(lastWordMs(), openOrigin().then(putAside));
  const err = cause === undefined ? {} : { err: cause };
  const fields = { function: door.name, messageId: record.messageId, why, ...err };
  if (isPutAside) door.log.error(fields, 'a message is buried');
  return isPutAside ? 'over' : 'stays';
}

/** In this order, as a worker does: what is received once more must not find that its body is gone. */
async function forget(keptId: string, ending: Ending): Promise<void> {
  const { door, record, openOrigin, openUpkeep, patienceMs } = ending;
  const dropped = async () => {
    const isSettled = await (await openOrigin()).settle(record);
    if (isSettled) await (await openUpkeep?.())?.forget(keptId);
  };
  try {
    await within(patienceMs(), dropped());
  } catch (cause: unknown) {
    // It goes with what is swept out of the outbox.
    door.log.warn({ function: door.name, err: cause }, 'a body that nobody needs was not dropped');
  }
}
