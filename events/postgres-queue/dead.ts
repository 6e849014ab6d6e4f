import type { Buried, Dead, Outgoing, Queue, Stuck, Taken } from '../queue.ts';
import { openTally } from '../tally.ts';
import { messageOf, mostBytes, type StoredMessage } from './columns.ts';
import type { Sql, TransactionSql } from './connection.ts';
import { isOwn } from './own.ts';
import { isRowId } from './receipts.ts';

export type DeadLetters = Pick<Queue, 'listDead' | 'redrive' | 'purgeDead'>;

export type Raising = {
  /** What the functions' names begin with here: ids count rows of the whole database, and another cluster's are nobody. */
  readonly prefix?: string;
  /** Why one cannot come back; `undefined` where it can. */
  readonly whyNot: (message: Outgoing) => string | undefined;
  /** Puts them where they run again, in this order, when the transaction commits. */
  readonly raise: (tx: TransactionSql, messages: readonly Outgoing[]) => Promise<void>;
};

export function deadLettersOn(sql: Sql, { prefix = '', ...raising }: Raising): DeadLetters {
  const own = isOwn(sql, prefix);
  return {
    async listDead({ function: name, after = '0', max }) {
      if (after !== '0' && !isRowId(after)) return [];
      return sql<Dead[]>`
        select id::text, function, key as "group", type, body, event_id as "eventId", received, why,
          buried_at as "buriedAt"
        from queue_dead
        where id > ${after} and ${name === undefined ? own : sql`function = ${name}`}
        order by queue_dead.id
        limit ${max}`;
    },
    async redrive(buried) {
      const stuck: Stuck[] = [];
      const pages = portions(sql, pagesOf(sql, { buried, own }));
      const taken = await inPages(pages, buried, async (ids) => {
        const redriven = await sql.begin((tx) => redrive(tx, { ids, own, ...raising }));
        stuck.push(...redriven.stuck);
        return redriven;
      });
      return { ...taken, stuck };
    },
    purgeDead: (buried) =>
      inPages(pagesOf(sql, { buried, own }), buried, async (ids) => {
        const purged = await sql<{ id: string }[]>`
          delete from queue_dead where id = any(array(
            select id from queue_dead where id = any(${ids}::bigint[]) and ${own}
            order by queue_dead.id
            for update))
          returning id::text`;
        return { found: purged.map(({ id }) => id), count: purged.length };
      }),
  };
}

/** So that no transaction takes long. */
const pageSize = 500;

type Pages = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

/** Acts on a page, and says whom it found, and how many of them it took. */
type Act = (ids: readonly string[]) => Promise<Acted>;
type Acted = { readonly found: readonly string[]; readonly count: number };

async function inPages(pages: Pages, buried: Buried, act: Act): Promise<Taken> {
  const tally = openTally(buried);
  for await (const ids of pages) {
    const { found, count } = await act(ids);
    tally.add(found, count);
  }
  return tally.taken();
}

type Choosing = { readonly buried: Buried; readonly own: ReturnType<typeof isOwn> };

function pagesOf(sql: Sql, { buried, own }: Choosing): Pages {
  if (!('function' in buried)) return cut(buried.filter(isRowId).toSorted(byNumber));
  return allOf(sql, buried.function === undefined ? own : sql`function = ${buried.function}`);
}

function* cut(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += pageSize) yield ids.slice(at, at + pageSize);
}

/** Those that are buried now: what is buried again meanwhile is not asked for. */
async function* allOf(sql: Sql, which: Choosing['own']): AsyncGenerator<readonly string[]> {
  const [newest] = await sql<{ id: string | null }[]>`select max(id)::text as id from queue_dead`;
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const page: readonly { id: string }[] = await sql<{ id: string }[]>`
      select id::text from queue_dead
      where id > ${after} and id <= ${newest?.id ?? '0'} and ${which}
      order by queue_dead.id
      limit ${pageSize}`;
    if (page.length > 0) yield page.map(({ id }) => id);
    after = page.at(-1)?.id;
  }
}

async function* portions(sql: Sql, pages: Pages): AsyncGenerator<readonly string[]> {
  for await (const ids of pages) {
    const sizes = await sql<{ id: string; portion: number }[]>`
      select id::text, floor(sum(octet_length(body)::float8) over (order by id) / ${mostBytes})::int
        as portion
      from queue_dead where id = any(${ids}::bigint[])
      order by queue_dead.id`;
    for (const each of Map.groupBy(sizes, ({ portion }) => portion).values()) {
      yield each.map(({ id }) => id);
    }
  }
}

type Wanted = Omit<Raising, 'prefix'> & {
  readonly ids: readonly string[];
  readonly own: ReturnType<typeof isOwn>;
};

/** In the order in which they were buried; none of them is merged into what waits: it was counted as one. */
async function redrive(
  tx: TransactionSql,
  { ids, own, whyNot, raise }: Wanted,
): Promise<Acted & { readonly stuck: readonly Stuck[] }> {
  const chosen = await tx<(StoredMessage & { readonly id: string })[]>`
    select id::text, function, key as "group", type, body, event_id as "eventId",
      merge_key as "mergeKey", subject, attempt
    from queue_dead
    where id = any(${ids}::bigint[]) and ${own}
    order by queue_dead.id
    for update`;
  const judged = chosen.map(({ id, ...row }) => {
    const message = messageOf(row);
    return { id, message, why: whyNot(message) };
  });
  const risen = judged.filter(({ why }) => why === undefined);
  if (risen.length > 0) {
    await tx`delete from queue_dead where id = any(${risen.map(({ id }) => id)}::bigint[])`;
    await raise(
      tx,
      risen.map(({ message }) => message),
    );
  }
  const stuck = judged.flatMap(({ id, why }) => (why === undefined ? [] : [{ id, why }]));
  return { found: judged.map(({ id }) => id), count: risen.length, stuck };
}

function byNumber(one: string, other: string): number {
  return BigInt(one) < BigInt(other) ? -1 : 1;
}
