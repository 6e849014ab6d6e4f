import type { SetAffected, Wake } from '#events/kinds.ts';
import { messageFor, unreadMessage } from '#events/messages.ts';
import type { Delivery, Outgoing } from '#events/queue.ts';
import type { Unsent } from '#events/sendable.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { retry } from '#shared/domain/outcome.ts';
import type { Ran } from '../reconcile.ts';
import type { Unfit } from '../wake.ts';
import { openDelivery } from './door.ts';
import { expand } from './expand.ts';
import { type Fate, fateOf } from './fate.ts';
import { hold } from './hold.ts';
import { putOnSchedule } from './on-schedule.ts';
import type { Worked, Working } from './working.ts';

/** One delivery from its door to its fate. What was neither settled nor buried is given back, or its visibility runs out. */
export async function handle(
  delivery: Delivery,
  definition: ReconcileFunction,
  working: Working,
): Promise<void> {
  const { queue, visibilityMs, ended } = working;
  const { receipt } = delivery;
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  ended.addEventListener('abort', stop, { once: true });
  if (ended.aborted) stop();
  let isLastCall = false;
  // From its last call on, that call says whose it was: what is settled cannot be extended either.
  const onLost = () => void (isLastCall || stop());
  const letGo = hold({ queue, receipt, visibilityMs, onLost });
  const onLastCall = () => {
    isLastCall = true;
  };
  try {
    const { signal } = stopped;
    const worked = await workOn({ delivery, definition, signal, onLastCall }, working);
    working.told(worked);
  } finally {
    letGo();
    ended.removeEventListener('abort', stop);
  }
}

type Given = {
  readonly delivery: Delivery;
  readonly definition: ReconcileFunction;
  readonly signal: AbortSignal;
  /** Before it is settled or buried. */
  readonly onLastCall: () => void;
};

async function workOn(given: Given, working: Working): Promise<Worked> {
  const { delivery, definition, signal } = given;
  if ((await working.turn?.comes(signal)) === false) return withoutRun(delivery, working);

  const began = performance.now();
  const { payload, unfit } = openDelivery(delivery, definition);
  const ran = unfit ?? (await runPayload(payload, given, working));
  if (unfit?.kind === 'retry') tellLeft(unfit, delivery, working);
  const ms = performance.now() - began;
  working.turn?.isOver();

  const message = payload && messageFor(delivery.function, payload, delivery.eventId);
  const isOver = !signal.aborted && (await end({ ran, message, ...given }, working));
  if (!isOver) await giveBack(delivery, working);
  const why = 'why' in ran ? { why: ran.why } : {};
  return { delivery, payload, outcome: isOver ? ran.kind : 'given-back', ...why, ms };
}

function tellLeft({ why }: Unfit, delivery: Delivery, { log }: Working): void {
  const { function: name, eventId, type, attempt } = delivery;
  log.warn({ function: name, eventId, type, attempt, why }, 'a message is left to others');
}

async function withoutRun(delivery: Delivery, working: Working): Promise<Worked> {
  await giveBack(delivery, working);
  return { delivery, payload: undefined, outcome: 'given-back', ms: 0 };
}

async function runPayload(
  payload: Wake | SetAffected,
  { delivery, definition, signal: stopped }: Given,
  working: Working,
): Promise<Ran> {
  const { function: functionName, eventId, attempt } = delivery;
  if (payload.kind !== 'set') {
    return working.run(definition, payload, { id: eventId, attempt, stopped });
  }
  try {
    const { members, queue: sender, schedule, tellUnsent } = working;
    const tell = (unsent: Unsent) => tellUnsent(unsent, { eventId });
    const on = { functionName, eventId, attempt, members, sender, schedule, tell };
    const expanding = expand(payload, { ...on, stopped });
    return (await orUndefined(expanding, stopped)) ?? retry('it was told to stop');
  } catch (cause: unknown) {
    working.log.error({ function: functionName, eventId, err: cause }, 'a set was not expanded');
    return retry('it failed');
  }
}

type Ended = Given & { readonly ran: Ran; readonly message: Outgoing | undefined };

/** `false`: it could not be brought to its end before the worker's. */
async function end({ ran, message, ...given }: Ended, working: Working): Promise<boolean> {
  const { delivery, signal } = given;
  const { function: name, eventId, attempt, group, body, type } = delivery;
  const unread = unreadMessage({ function: name, group, type, body, eventId });
  const fate = fateOf(ran, { message: message ?? unread, attempt, random: working.random() });
  const carriedOut = working.outages.through(() => carryOut(fate, given, working), signal);
  const ended = await orUndefined(carriedOut, signal);
  if (ended !== undefined) tellEnd(ended, delivery, working);
  return ended !== undefined;
}

function tellEnd({ fate, wasOurs }: End, delivery: Delivery, { log }: Working): void {
  const { function: name, eventId, attempt } = delivery;
  if (!wasOurs) {
    log.warn({ function: name, eventId }, 'a message was not ours any more when it ended');
  } else if (fate.kind === 'bury') {
    const err = fate.cause === undefined ? {} : { err: fate.cause };
    log.error({ function: name, eventId, attempt, why: fate.why, ...err }, 'a message is buried');
  }
}

/** A call that hangs must not hold up the end. */
function orUndefined<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  signal.addEventListener('abort', () => resolve(undefined), { once: true });
  return Promise.race([answer, promise]);
}

/** What it came to, which may be a burial for whoever could not be put on the schedule. */
type End = { readonly fate: Fate; readonly wasOurs: boolean };

/** Each step may be repeated. */
async function carryOut(
  planned: Fate,
  { delivery: { receipt }, onLastCall }: Given,
  { queue, schedule, settle }: Working,
): Promise<End> {
  const fate = await putOnSchedule(planned, schedule);
  onLastCall();
  const wasOurs = await (fate.kind === 'bury' ? queue.bury(receipt, fate.why) : settle(receipt));
  return { fate, wasOurs };
}

const giveBackMs = 2_000;

/** Once, and not for long: where the queue is away, visibility runs out by itself. */
export async function giveBack(
  { receipt, function: name, eventId }: Delivery,
  { queue, log }: Pick<Working, 'queue' | 'log'>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, giveBackMs);
  try {
    await Promise.race([queue.release(receipt), promise]);
  } catch (cause: unknown) {
    log.warn({ function: name, eventId, err: cause }, 'a message was not given back');
  } finally {
    clearTimeout(timer);
  }
}
