import { setTimeout as after } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { type FailureKind, mends } from '#shared/adapters/database/failure.ts';
import { as } from './database.ts';
import type { Fault } from './faults.ts';
import { noticed } from './noticed.ts';
import type { Served } from './processes.ts';
import { type Troupe, until } from './world.ts';

type Taken = {
  readonly name: string;
  /** As what our processes know it, and say how to mend it. */
  readonly kind: FailureKind;
  readonly take: (sql: Sql) => Promise<unknown>;
  readonly giveBack: (sql: Sql) => Promise<unknown>;
};

/** The database is there, and does not do what it is asked, until somebody gives back what he took. */
function taken({ name, kind, take, giveBack }: Taken): Fault<Troupe> {
  return {
    name,
    async act(troupe) {
      const { operatorUrl } = troupe.database;
      const listening = listenTo(troupe, kind);
      await as(operatorUrl, take);
      try {
        await listening.heard();
        await after(troupe.waits.momentMs);
      } finally {
        await as(operatorUrl, giveBack);
      }
      // Whoever is still away has said why, and would not say it again.
      await noticed(troupe);
    },
  };
}

/** Each of our processes says what is wrong and how it is mended, and lives. */
export function listenTo({ forwarders, workers, waits }: Troupe, kind: FailureKind) {
  const processes = [...forwarders, ...workers];
  const sayings = processes.map((each) => each.saying([mends[kind]]));
  return {
    async heard() {
      await until(() => sayings.every(({ isSaid }) => isSaid()), waits.patienceMs);
      for (const { end } of sayings) end();
      const silent = processes.filter((_, at) => sayings[at]?.isSaid() !== true);
      const dead = processes.filter((each) => !each.isAlive());
      if (silent.length + dead.length === 0) return;
      const [first] = [...dead, ...silent];
      throw new Error(
        `dead: ${namesOf(dead)}; said nothing of ${kind}: ${namesOf(silent)}; ${first?.said()}`,
      );
    },
  };
}

function namesOf(processes: readonly Served[]): string {
  return processes.map(({ name }) => name).join(', ') || 'nobody';
}

const reconnect = (sql: Sql) =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'chaos'`;

/** What somebody at the server can do to us. */
export const ofOperators: readonly Fault<Troupe>[] = [
  taken({
    name: 'a database that is read-only for new sessions',
    kind: 'read-only',
    async take(sql) {
      await sql`alter database chaos set default_transaction_read_only = on`;
      await reconnect(sql);
    },
    giveBack: async (sql) => {
      await sql`set default_transaction_read_only = off`;
      await sql`alter database chaos reset default_transaction_read_only`;
    },
  }),
  taken({
    name: 'a server that becomes read-only',
    kind: 'read-only',
    async take(sql) {
      await sql`alter system set default_transaction_read_only = on`;
      await sql`select pg_reload_conf()`;
    },
    async giveBack(sql) {
      await sql`alter system reset default_transaction_read_only`;
      await sql`select pg_reload_conf()`;
    },
  }),
  taken({
    name: 'rights that are revoked',
    kind: 'no-right',
    take: (sql) => sql`revoke insert, update, delete on all tables in schema public from chaos`,
    giveBack: (sql) => sql`grant insert, update, delete on all tables in schema public to chaos`,
  }),
  taken({
    name: 'no connection left for our user',
    kind: 'full',
    async take(sql) {
      await sql`alter role chaos connection limit 0`;
      await reconnect(sql);
    },
    giveBack: (sql) => sql`alter role chaos connection limit -1`,
  }),
];
