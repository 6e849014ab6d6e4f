import { followedFrom } from '#events/forwarder/followed.ts';
import { type Forwarder, openForwarder } from '#events/forwarder/forwarder.ts';
import type { Told } from '#events/forwarder/told.ts';
import type { Pace } from '#events/forwarder/world.ts';
import { type Cast, clusterName, subscriptionsOf } from '../cast.ts';
import type { Server } from '../cluster/server.ts';
import { streamFor } from '../cluster/stream.ts';
import { storeFor } from '../database/commits.ts';
import type { Database } from '../database/database.ts';
import type { Dice } from '../dice.ts';
import { isOutage } from '../outage.ts';
import type { Process, Stage } from '../stage.ts';

/** The forwarder as it is in production, on a world that is invented. */
export type ForwarderProcess = {
  readonly process: Process;
  readonly forwarder: Forwarder;
  edition: number;
  isSetting: boolean;
};

export type World = {
  readonly stage: Stage;
  readonly dice: Dice;
  readonly server: Server;
  readonly database: Database;
};

/** Short, so that a schedule needs few steps to see each of them end. */
const pace: Omit<Pace, 'batchLimit'> = {
  leaseMs: 20_000,
  firstBackoffMs: 500,
  maxBackoffMs: 5_000,
  maxAwayMs: 2_000,
  watchSeconds: [60, 120],
  idleMs: 30_000,
  restoredMs: 12_000,
  absentMs: 5_000,
  auditMs: 40_000,
  caughtUpMs: 20_000,
  settleMs: 15_000,
  pageLimit: 2,
};

export function startForwarder(world: World, process: Process, cast: Cast): ForwarderProcess {
  const { stage, dice, server, database } = world;
  const stream = streamFor(server, process);
  const forwarder = openForwarder({
    cluster: clusterName,
    stream: database.bug.stream?.(stream) ?? stream,
    store: storeFor(database, process),
    holder: process.name,
    // By one, what a list did not show takes several transactions, and between them anybody may die.
    pace: { ...pace, batchLimit: dice.pick([1, 1, 1, 2]) },
    now: stage.now,
    random: dice.next,
    pause: (ms, signal) => {
      const until = stage.now() + ms;
      return stage.park<void>({
        by: process,
        what: `has waited ${Math.round(ms)} ms`,
        isReady: () => stage.now() >= until,
        wakesAt: () => until,
        answer: () => {},
        ended: { signal, answer: () => {} },
      });
    },
    tell: (told) => listen(told, world, process),
  });
  const started = { process, forwarder, edition: -1, isSetting: false };
  roll(started, cast, world);
  return started;
}

/** Tells it what is to be followed from now on. */
export function roll(forwarder: ForwarderProcess, cast: Cast, { database }: World): void {
  forwarder.edition = cast.edition;
  forwarder.isSetting = true;
  forwarder.forwarder
    .set(followedFrom(subscriptionsOf(cast)))
    .catch((cause: unknown) => database.ledger.break('quiet', `a set fails: ${String(cause)}`))
    .finally(() => {
      forwarder.isSetting = false;
    });
}

function listen(told: Told, { stage, database }: World, { name }: Process): void {
  const { kind } = told;
  if (kind === 'lost') database.ledger.break('audit', `${name} finds ${told.count} lost`);
  if (kind === 'failed' && !isOutage(told.cause)) {
    const { cause } = told;
    const how = cause instanceof Error ? cause.stack : String(cause);
    database.ledger.break('quiet', `${name} fails for a reason of its own: ${how}`);
  }
  if (kind === 'heard' || kind === 'looked' || kind === 'committed') return;
  stage.say(`  ${name} tells: ${JSON.stringify(told)}`);
}
