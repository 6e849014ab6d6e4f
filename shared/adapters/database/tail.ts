import { setTimeout as wait } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { unlessAborted } from '../unless-aborted.ts';
import { openDatabase } from './open.ts';

const channel = 'gatehouse_tail';
/** Any number, the same for all: held, shared, by whoever listens. */
const lock = 4_283_946_118;

/** The side of those who tell. */
export type TailChannel = {
  /** Asked about once a second: nothing is said that nobody hears. */
  isListened(): Promise<boolean>;
  say(payload: string): Promise<void>;
};

export function tailChannel(sql: Sql): TailChannel {
  return {
    // For the length of the statement the lock is ours, where no listener has it: no row, no table, no clean-up.
    async isListened() {
      const [answer] = await sql<{ free: boolean }[]>`
        select pg_try_advisory_xact_lock(${lock}) as free`;
      return answer?.free === false;
    },
    async say(payload) {
      await sql`select pg_notify(${channel}, ${payload})`;
    },
  };
}

export type Listening = {
  readonly url: string;
  readonly onPayload: (payload: string) => void;
  readonly onReady?: () => void;
  readonly signal: AbortSignal;
  /** Who is behind does not keep the others talking: Postgres would keep what is said for him. */
  readonly isBehind?: () => boolean;
};

const renewMs = 1_000;

/** Until the signal, also where nothing comes through any more; throws where the connection is lost. */
export async function listenToTail(listening: Listening): Promise<void> {
  const { sql } = openDatabase(listening.url, { name: 'gatehouse tail', connections: 1 });
  try {
    await unlessAborted(listening.signal, keepListening(sql, listening));
  } finally {
    // Nothing runs there that is worth waiting for.
    await sql.end({ timeout: 0 });
  }
}

async function keepListening(sql: Sql, listening: Listening): Promise<void> {
  const { onPayload, onReady, signal, isBehind = () => false } = listening;
  await sql.listen(channel, onPayload);
  await renew(sql, isBehind());
  onReady?.();
  while (!signal.aborted) {
    await wait(renewMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await renew(sql, isBehind());
  }
}

/** A session's lock ends with its connection; taken again it only counts. */
async function renew(sql: Sql, isBehind: boolean): Promise<void> {
  if (isBehind) await sql`select pg_advisory_unlock_all()`;
  else await sql`select pg_try_advisory_lock_shared(${lock})`;
}
