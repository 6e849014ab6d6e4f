import type { Wake } from '#events/kinds.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { describe } from '#shared/domain/decode.ts';
import { type Outcome, retry } from '#shared/domain/outcome.ts';
import type { Ports } from '#shared/ports.ts';
import type { Log } from './log.ts';
import { outcomeFrom } from './outcome-said.ts';
import { pick } from './pick.ts';
import { type Message, type Unfit, wakeFrom } from './wake.ts';
import { guarded } from './worker/guarded.ts';

/** What a run stands on. */
export type Running = {
  readonly ports: Ports;
  /** Ports that read past every cache, for the second run after a conflict; the usual ones where they are not given. */
  readonly live?: () => Ports;
  readonly log: Log;
  readonly meter?: RunMeter;
  /** The event that woke the function tells of its own write. */
  readonly isOwnWrite?: boolean;
  readonly eventId?: string | undefined;
  /** Less than the function's own deadline, where the caller has less time. */
  readonly deadlineMs?: number;
  /** Ends the run as its deadline would: its outcome is then of no account. */
  readonly stopped?: AbortSignal | undefined;
};

export type RunMeter = {
  reconciled(name: string, outcome: Outcome['kind'] | 'undecodable', ms: number): void;
  late(name: string): void;
};

/** A message that cannot be decoded is no outcome of the function: it never ran. */
export type Ran = Outcome | { readonly kind: 'undecodable'; readonly why: string };

export async function runMessage(
  definition: ReconcileFunction,
  message: Message,
  running: Running,
): Promise<Ran> {
  const decoded = wakeFrom(message, definition);
  if (decoded.ok) return runOnce(definition, decoded.wake, { ...running, eventId: message.id });

  tellUnfit(decoded.unfit, { definition, message, running });
  return decoded.unfit;
}

type Refused = {
  readonly definition: ReconcileFunction;
  readonly message: Message;
  readonly running: Running;
};

function tellUnfit({ kind, why }: Unfit, { definition, message, running }: Refused): void {
  const { name } = definition;
  const { id, type } = message;
  running.meter?.reconciled(name, kind, 0);
  const fields = { function: name, id, type, why };
  if (kind === 'retry') running.log.warn(fields, 'a message is left to others');
  else running.log.error(fields, 'a message is undecodable');
}

/** One message, one deadline, at most two runs. It never throws: an outage or a bug is `retry`. */
export async function runOnce(
  definition: ReconcileFunction,
  wake: Wake,
  running: Running,
): Promise<Outcome> {
  const started = performance.now();
  const ms = Math.min(definition.deadlineMs, running.deadlineMs ?? Number.MAX_VALUE);
  const alarm = setAlarm(ms, running.stopped);
  try {
    const outcome = await twiceAtMost(definition, wake, { running, alarm });
    running.meter?.reconciled(definition.name, outcome.kind, performance.now() - started);
    return outcome;
  } finally {
    alarm.off();
  }
}

type Attempt = {
  readonly running: Running;
  readonly alarm: Alarm;
  readonly reads: 'usual' | 'live';
};

async function twiceAtMost(
  definition: ReconcileFunction,
  wake: Wake,
  { running, alarm }: Omit<Attempt, 'reads'>,
): Promise<Outcome> {
  const first = await attempt(definition, wake, { running, alarm, reads: 'usual' });
  if (first.kind !== 'conflict') return first;

  const second = await attempt(definition, wake, { running, alarm, reads: 'live' });
  return second.kind === 'conflict' ? retry(second.why) : second;
}

async function attempt(
  definition: ReconcileFunction,
  wake: Wake,
  { running, alarm, reads }: Attempt,
): Promise<Outcome> {
  const { log, meter } = running;
  const fields = { function: definition.name, ...subjectOf(wake) };
  try {
    const ports = reads === 'live' ? (running.live?.() ?? running.ports) : running.ports;
    const own = guarded(pick(ports, definition.uses), alarm.signal);
    const isOwnWrite = reads === 'usual' && running.isOwnWrite === true;
    const { eventId } = running;
    const answer = definition.handler(wake, own, { deadline: alarm.signal, isOwnWrite, eventId });
    const first = await Promise.race([answer, alarm.rings]);
    if (first !== ringing) return told(first, { log, fields });

    const late = () => meter?.late(definition.name);
    Promise.resolve(answer).then(late, late);
    const { message: why } = alarm.signal.reason;
    log.warn({ ...fields, outcome: 'retry', why }, 'a run was ended');
    return retry(why);
  } catch (cause: unknown) {
    log.error({ ...fields, outcome: 'retry', err: cause }, 'a run failed');
    return retry('it failed');
  }
}

type Telling = { readonly log: Log; readonly fields: Readonly<Record<string, unknown>> };

function told(said: unknown, { log, fields }: Telling): Outcome {
  const read = outcomeFrom(said);
  if (!read.ok) throw new Error(`the handler returned no outcome: ${describe(read.problems[0])}`);

  const outcome = read.value;
  const level = outcome.kind === 'give-up' ? 'error' : outcome.kind === 'retry' ? 'warn' : 'debug';
  const { kind, ...more } = outcome;
  log[level]({ ...fields, outcome: kind, ...more }, 'a run ended');
  return outcome;
}

/** References only: what the object holds may be secret. */
function subjectOf(wake: Wake): Readonly<Record<string, unknown>> {
  if (wake.kind === 'period') return { wake: 'period' };
  const { resource, namespace, name, uid } = wake;
  return { wake: 'object', resource, namespace, name, uid };
}

const ringing = Symbol('ringing');
type Alarm = ReturnType<typeof setAlarm>;

function setAlarm(ms: number, stopped?: AbortSignal) {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<typeof ringing>();
  const ring = (why: string) => {
    // First, so that a handler which ends because of the signal is late all the same.
    resolve(ringing);
    controller.abort(new Error(why));
  };
  const stop = () => ring('it was told to stop');
  const timer = setTimeout(ring, ms, `it took longer than ${ms} ms`);
  stopped?.addEventListener('abort', stop, { once: true });
  if (stopped?.aborted) stop();
  const off = () => {
    clearTimeout(timer);
    stopped?.removeEventListener('abort', stop);
  };
  return { rings: promise, signal: controller.signal, off };
}
