import { setTimeout as wait } from 'node:timers/promises';
import type { Options, Sql } from 'postgres';
import { within } from '../within.ts';
import {
  type FollowedScope,
  isFollowed,
  type KindName,
  kindKey,
  readFollowed,
} from './followed.ts';
import { channel, type Notice, noticeFrom } from './notice.ts';
import { postgres } from './postgres-js.ts';

export type HeardOptions = {
  readonly cluster: string;
  readonly kinds: readonly KindName[];
  /** Between two heartbeats, each of which also tells what no notice told. */
  readonly beatMs?: number | undefined;
  /** After so long without a heartbeat nothing counts as known. */
  readonly staleMs?: number | undefined;
  /** A watch of which nothing was heard for so long may be half open; bookmarks come about every minute. */
  readonly quietMs?: number | undefined;
  /** In milliseconds, and never set back. */
  readonly now?: (() => number) | undefined;
};

/** The names that changed, or `undefined`: any of them may have. */
type Dropping = (names: readonly string[] | undefined) => void;

export type Heard = {
  /** What is remembered of the kind may be older than it should be; of one object, where its scopes are named as enough. */
  isStale(kind: KindName, enough?: readonly string[]): boolean;
  /** Since the last heartbeat that was answered had been sent; infinite where there is none. */
  beatAgeMs(): number;
  /** Is told what to forget. */
  onChange(kind: KindName, dropping: Dropping): void;
  close(): Promise<void>;
};

type State = {
  /** When the last heartbeat that was answered had been sent. */
  beatAt: number;
  scopes: ReadonlyMap<string, FollowedScope>;
  readonly droppings: Map<string, Dropping[]>;
};

/**
 * Listens to changes of the mirror on a connection of its own: LISTEN first, then all is forgotten, and only then
 * something may be read. The heartbeat reads each scope's count of changes on that very connection. So a connection that
 * is half open gives no heartbeat, and a notice that was lost shows as a gap in the count with the next one.
 */
export function openHeard(sql: Sql, options: HeardOptions): Heard {
  const { kinds, now = () => performance.now(), staleMs = 3_000, quietMs = 90_000 } = options;
  const state: State = {
    beatAt: Number.NEGATIVE_INFINITY,
    scopes: new Map(),
    droppings: new Map(),
  };
  const ending = new AbortController();
  const run = { sql, state, signal: ending.signal, ...options, now, staleMs };
  const running = listenAgain({ ...run, beatMs: options.beatMs ?? 1_000 });

  const beatAgeMs = () => now() - state.beatAt;

  return {
    beatAgeMs,
    isStale(kind, enough) {
      return beatAgeMs() > staleMs || !isFollowed(scopesOf(state, kind), quietMs, enough);
    },
    onChange(kind, dropping) {
      if (!kinds.some((each) => kindKey(each) === kindKey(kind))) {
        throw new Error(`nobody listens to ${kindKey(kind)}`);
      }
      state.droppings.set(kindKey(kind), [...droppingsOf(state, kind), dropping]);
    },
    async close() {
      ending.abort();
      await running;
    },
  };
}

type Run = {
  readonly sql: Sql;
  readonly state: State;
  readonly cluster: string;
  readonly kinds: readonly KindName[];
  readonly beatMs: number;
  readonly staleMs: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
};

/** Asked several times a review: nothing is made for it but the list. */
function scopesOf({ scopes }: State, { group, resource }: KindName): readonly FollowedScope[] {
  const found: FollowedScope[] = [];
  for (const scope of scopes.values()) {
    if (scope.resource === resource && scope.group === group) found.push(scope);
  }
  return found;
}

/** An outage is no news to anybody here: whoever asks is told that all is stale. */
async function listenAgain(run: Run): Promise<void> {
  for (let attempt = 0; !run.signal.aborted; attempt += 1) {
    await listen(run, attempt).catch(() => undefined);
    run.state.beatAt = Number.NEGATIVE_INFINITY;
    await pause(run.beatMs / 2 + (run.beatMs / 2) * Math.random(), run.signal);
  }
}

async function listen(run: Run, attempt: number): Promise<void> {
  const { state, staleMs, beatMs, now } = run;
  const lost = new AbortController();
  const signal = AbortSignal.any([run.signal, lost.signal]);
  const connection = connectionLike(run.sql, attempt, {
    onnotify: (_, payload) => hear(run, noticeFrom(payload)),
    onclose: () => lost.abort(),
  });
  // Whoever closes waits for no answer.
  const leave = () => void connection.end({ timeout: 0 });
  run.signal.addEventListener('abort', leave);
  try {
    await within(staleMs, connection`listen ${connection(channel)}`);
    dropAll(state);
    while (!signal.aborted) {
      const sentAt = now();
      take(state, await within(staleMs, readFollowed(connection, run)));
      // Its answer may have come on a connection of which the library made another one.
      if (!lost.signal.aborted) state.beatAt = sentAt;
      await pause(beatMs - (now() - sentAt), signal);
    }
  } finally {
    run.signal.removeEventListener('abort', leave);
    await connection.end({ timeout: 0 });
  }
}

type Hooks = {
  readonly onnotify: (channel: string, payload: string) => void;
  readonly onclose: () => void;
};

/**
 * As the library makes the one for its own `listen`, which would reconnect behind our back. Of several hosts each attempt
 * begins with another one: the first may hang for as long as an attempt lasts.
 */
function connectionLike(sql: Sql, attempt: number, hooks: Hooks): Sql {
  const { host, port } = sql.options;
  const first = attempt % host.length;
  const places = { host: fromOn(host, first), port: fromOn(port, first) };
  const lasting = { max: 1, idle_timeout: null, max_lifetime: null, fetch_types: false };
  const options = { ...sql.options, ...places, ...lasting, connect_timeout: 3, ...hooks };
  return postgres(options as unknown as Options<Record<string, never>>) as Sql;
}

function fromOn<T>(all: readonly T[], first: number): readonly T[] {
  return [...all.slice(first), ...all.slice(0, first)];
}

function hear({ state, cluster }: Run, notice: Notice | undefined): void {
  if (notice === undefined || notice.cluster !== cluster) return;
  const { scope, changes, names } = notice;
  const known = state.scopes.get(scope);
  // A heartbeat that overtook the notice has told already.
  if (known !== undefined && changes <= known.changes) return;

  const isNext = known !== undefined && changes === known.changes + 1;
  if (known !== undefined) state.scopes = new Map(state.scopes).set(scope, { ...known, changes });
  for (const drop of droppingsOf(state, notice)) drop(isNext ? names : undefined);
}

/** A count that is not the one we know: something was not heard, or the database is another one than before. */
function take(state: State, scopes: readonly FollowedScope[]): void {
  const next = new Map(scopes.map((each) => [each.scope, each]));
  const missed = [...state.scopes.values(), ...scopes].filter(
    ({ scope }) => state.scopes.get(scope)?.changes !== next.get(scope)?.changes,
  );
  state.scopes = next;
  for (const kind of new Map(missed.map((each) => [kindKey(each), each])).values()) {
    for (const drop of droppingsOf(state, kind)) drop(undefined);
  }
}

function dropAll(state: State): void {
  for (const drop of [...state.droppings.values()].flat()) drop(undefined);
}

function droppingsOf({ droppings }: State, kind: KindName): readonly Dropping[] {
  return droppings.get(kindKey(kind)) ?? [];
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(Math.max(0, ms), undefined, { signal, ref: false }).catch(() => undefined);
}
