import type { Sql } from './connection.ts';

/** Our mark in the database that somebody here may be asleep: as long as it is there, senders notify. */
export type Sleepers = {
  /** Changes with each mark; `undefined` without one. */
  current(): Mark | undefined;
  mark(): Promise<void>;
  /** `false`, at once: the mark is not there any more, so look again before you sleep. */
  sleep(mark: Mark | undefined, asleep: () => Promise<void>): Promise<boolean>;
  /** Whoever may not have seen the mark is over: true of whoever looks from now on, not of who has looked. */
  isSeen(): Promise<boolean>;
  close(): Promise<void>;
};

export type Mark = { readonly id: string; readonly horizon: string; isSeen: boolean };

export type Sleeping = {
  readonly sql: Sql;
  /** The mark was lost: whoever sleeps looks for himself. */
  readonly onLost: () => void;
};

/** A NOTIFY for each send is cheap while there are few, so the mark stays a while after the last sleep. */
const awakeMs = 1_000;
const ticksPerRenewal = 20;
const markSeconds = 60;

export function openSleepers({ sql, onLost }: Sleeping): Sleepers {
  let mark: Mark | undefined;
  let marking: Promise<Mark> | undefined;
  let ticking: NodeJS.Timeout | undefined;
  let asleep = 0;
  let hasSlept = false;

  const forget = (): void => {
    clearInterval(ticking);
    mark = undefined;
  };
  const unmark = async (): Promise<void> => {
    const id = mark?.id;
    forget();
    if (id !== undefined) await removeMark(sql, id);
  };
  const lose = (): void => {
    forget();
    onLost();
  };
  const tick = (ticks: number): Promise<unknown> | undefined => {
    const isIdle = hasSlept || asleep > 0;
    hasSlept = false;
    if (mark === undefined) return undefined;
    if (!isIdle) return unmark();
    return ticks % ticksPerRenewal === 0 ? renewMark(sql, mark.id).then(orElse(lose)) : undefined;
  };
  const begin = async (): Promise<Mark> => {
    const begun = await insertMark(sql);
    mark = begun;
    let ticks = 0;
    ticking = setInterval(() => {
      ticks += 1;
      // A mark that cannot be taken back runs out by itself.
      tick(ticks)?.catch(lose);
    }, awakeMs).unref();
    return begun;
  };

  return {
    current: () => mark,
    async mark() {
      if (mark !== undefined) return;
      marking ??= begin().finally(() => {
        marking = undefined;
      });
      await marking;
    },
    async sleep(known, sleeping) {
      if (known === undefined || known !== mark) return false;
      asleep += 1;
      await sleeping().finally(() => {
        asleep -= 1;
        hasSlept = true;
      });
      return true;
    },
    async isSeen() {
      const known = mark;
      if (known === undefined) return false;
      known.isSeen ||= await isOver(sql, known.horizon);
      return known.isSeen;
    },
    close: unmark,
  };
}

function orElse(otherwise: () => void): (isTrue: boolean) => void {
  return (isTrue) => {
    if (!isTrue) otherwise();
  };
}

/** The horizon is read after the commit: what had a transaction number by then may not have seen the mark. */
async function insertMark(sql: Sql): Promise<Mark> {
  const [made] = await sql<{ id: string }[]>`
    with over as (delete from queue_sleepers where until_at < now() - interval '10 minutes')
    insert into queue_sleepers (until_at) values (now() + ${markSeconds} * interval '1 second')
    returning id`;
  const [seen] = await sql<{ horizon: string }[]>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as horizon`;
  if (made === undefined || seen === undefined) throw new Error('cannot mark who is asleep');
  return { id: made.id, horizon: seen.horizon, isSeen: false };
}

async function isOver(sql: Sql, horizon: string): Promise<boolean> {
  const [now] = await sql<{ over: boolean }[]>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${horizon}::text::xid8 as over`;
  return now?.over === true;
}

async function renewMark(sql: Sql, id: string): Promise<boolean> {
  const renewed = await sql`
    update queue_sleepers set until_at = now() + ${markSeconds} * interval '1 second'
    where id = ${id}`;
  return renewed.count > 0;
}

async function removeMark(sql: Sql, id: string): Promise<void> {
  await sql`delete from queue_sleepers where id = ${id}`;
}
