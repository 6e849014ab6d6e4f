import type { Sql } from 'postgres';
import { addressOf, type Host } from './address.ts';
import { dial } from './dial.ts';
import { postgres } from './postgres-js.ts';

export type Database = {
  readonly sql: Sql;
  /** For people: host, database and user; never the password. */
  readonly where: string;
  /** What runs is let end, for five seconds. */
  close(): Promise<void>;
};

export type Opening = {
  /** What the server's list of sessions shows. */
  readonly name: string;
  readonly connections?: number;
  /** For migrations, which may work on one statement for long. */
  readonly isPatient?: boolean;
  readonly statementSeconds?: number;
  /** Settings of each session beside ours. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
};

/** Connects when it is first asked, and again by itself after a connection was lost; what ran on that one fails. */
export function openDatabase(url: string, opening: Opening): Database {
  const { name, connections = 10, isPatient = false, statementSeconds = 30 } = opening;
  const address = addressOf(url);
  const patienceMs = isPatient ? undefined : (statementSeconds + silentSeconds) * 1_000;
  const sql = postgres(withoutNeeded(address.url), {
    ...fixed,
    ...placesOf(address.hosts),
    max: connections,
    ssl: address.tls,
    connection: {
      application_name: name,
      // Debian's server compiles what seems to be costly: 100 ms and more for what runs for one.
      jit: 'off',
      ...dropped,
      ...(isPatient ? unlimited : limits(statementSeconds)),
      ...opening.parameters,
      ...needed,
    },
    ...(address.hosts.length > 1 ? several : { socket: dial(patienceMs) }),
  });
  return { sql, where: address.where, close: () => sql.end({ timeout: 5 }) };
}

/** The library takes these lists, and has no type for them. */
function placesOf(hosts: readonly Host[]): object {
  return { host: hosts.map(({ name }) => name), port: hosts.map(({ port }) => port) };
}

/** Beyond what a statement may take, how long a connection may say nothing before it counts as dead. */
const silentSeconds = 10;

/** Each is stated, or the library would look into the environment for it. */
const fixed = {
  connect_timeout: 5,
  // Not null, which marks the connection that listens.
  idle_timeout: undefined,
  max_lifetime: 60 * 45,
  keep_alive: 10,
  max_pipeline: 100,
  prepare: true,
  // Of those that we use, the mended library knows them.
  fetch_types: false,
  debug: false,
  // From 50 ms to at most 1 s: a database that is back is used at once.
  backoff: (retries: number) => Math.min(0.05 * 2 ** Math.min(retries, 10), 1),
  onnotice: () => undefined,
} as const;

/** The library picks one for each session: by this alone what is heard and what is read are of the same server. */
const several = { target_session_attrs: 'primary' } as const;

/** Whoever is gone shall hold no locks and no transaction. */
const dropped = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 20_000,
  client_connection_check_interval: 10_000,
};

/** 24 days, whatever limit a role has: a zero the library would leave out. */
const unlimited = { statement_timeout: 2 ** 31 - 1 };

/** What our statements are written for, whatever else is usual in a database, for a role, or behind an address. */
const needed = {
  // Who waited for a lock sees what was committed meanwhile. Else of two scopes that overlap each finds the other one free.
  default_transaction_isolation: 'read committed',
  // Else days and months change places: a verdict until 5 February is believed until 2 May.
  datestyle: 'ISO',
  // Else what is null in our arrays is a word.
  array_nulls: 'on',
} as const;

/** The library lets the address have the last word. */
function withoutNeeded(url: string): string {
  const address = new URL(url);
  for (const name of [...address.searchParams.keys()]) {
    if (name.toLowerCase() in needed) address.searchParams.delete(name);
  }
  return address.href;
}

function limits(statementSeconds: number) {
  const ms = statementSeconds * 1_000;
  return { statement_timeout: ms, idle_in_transaction_session_timeout: ms };
}
