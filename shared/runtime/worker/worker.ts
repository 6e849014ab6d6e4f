import type { Delivery } from '#events/queue.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { pause } from '../pause.ts';
import { giveBack, handle } from './handle.ts';
import { type Hands, openHands, type Turn } from './hands.ts';
import { openSettler } from './settler.ts';
import { openTellUnsent } from './unsent-members.ts';
import type { Working } from './working.ts';

export type Worker = {
  inFlight(): number;
  /** Looks again which functions there are to work for. */
  refresh(): void;
  /** Takes nothing more; what runs may end within the grace, and is given back after it. */
  stop(graceMs: number): Promise<void>;
};

export type WorkerOptions = Omit<Working, 'settle' | 'ended' | 'turn' | 'tellUnsent'> & {
  /** Those that are switched on now. */
  readonly functions: () => readonly ReconcileFunction[];
  /** How many groups at once. */
  readonly groups: number;
  /** After a claim that left hands free, so that what comes meanwhile shares the next one. */
  readonly restMs?: number | undefined;
};

export function startWorker(options: WorkerOptions): Worker {
  const { queue, groups, log } = options;
  const ended = new AbortController();
  const stopped = new AbortController();
  const working: Working = {
    ...options,
    settle: openSettler(queue),
    tellUnsent: openTellUnsent(log),
    ended: ended.signal,
  };
  const hands = openHands(groups);
  const intake = intakeOf(options, hands);
  const turning = turn({ options, hands, intake, working, stopped: stopped.signal });
  return {
    inFlight: hands.full,
    refresh: intake.refresh,
    async stop(graceMs) {
      const { promise: graceIsOver, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      void graceIsOver.then(() => ended.abort());
      stopped.abort();
      hands.stop();
      intake.refresh();
      // What is claimed meanwhile is handed over, and given back.
      await Promise.race([turning, graceIsOver]);
      await hands.allFree();
      clearTimeout(timer);
    },
  };
}

type Intake = {
  receive(stopped: AbortSignal): Promise<readonly Delivery[]>;
  /** Ends the waiting. */
  refresh(): void;
};

const waitMs = 20_000;

/**
 * Messages of a function that is unknown or switched off here are not asked for, and wait. Settling them would lose
 * them: during a roll-out or a change of the configuration, another process has that function switched on already.
 */
function intakeOf({ queue, functions, visibilityMs }: WorkerOptions, hands: Hands): Intake {
  let waiting = new AbortController();
  return {
    async receive(stopped) {
      waiting = new AbortController();
      const { signal } = waiting;
      const names = functions().map(({ name }) => name);
      if (names.length === 0) await pause(waitMs, signal);
      if (names.length === 0 || stopped.aborted) return [];
      return queue.receive({ functions: names, max: hands.free(), visibilityMs, waitMs, signal });
    },
    refresh: () => waiting.abort(),
  };
}

type Place = {
  readonly options: WorkerOptions;
  readonly hands: Hands;
  readonly intake: Intake;
  readonly working: Working;
  readonly stopped: AbortSignal;
};

async function turn(place: Place): Promise<void> {
  const { options, hands, intake, stopped } = place;
  const { restMs = 0 } = options;
  while (!stopped.aborted) {
    await hands.oneFree();
    const deliveries = await options.outages.through(() => intake.receive(stopped), stopped);
    for (const delivery of deliveries ?? []) hands.take((turn) => workOn(delivery, place, turn));
    if (restMs > 0 && hands.free() > 0) await pause(restMs, stopped);
  }
}

const strangerPauseMs = 5_000;

async function workOn(
  delivery: Delivery,
  { options, working, stopped }: Place,
  turn: Turn,
): Promise<void> {
  const { eventId, function: name } = delivery;
  try {
    // Claimed while we were told to stop.
    if (stopped.aborted) return await giveBack(delivery, working);

    const definition = options.functions().find((each) => each.name === name);
    if (definition !== undefined) return await handle(delivery, definition, { ...working, turn });

    // Switched off since it was asked for. Others have it sooner; alone, we do not turn in circles.
    await pause(strangerPauseMs, stopped);
    await giveBack(delivery, working);
  } catch (err: unknown) {
    options.log.error({ function: name, eventId, err }, 'a delivery failed');
  }
}
