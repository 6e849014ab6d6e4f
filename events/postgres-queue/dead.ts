import type { Buried, Dead, Outgoing, Queue, Taken } from '../queue.ts';
import { openTally } from '../tally.ts';
import type { Sql } from './connection.ts';
import { isOwn } from './own.ts';
import { isRowId } from './receipts.ts';
import { functionsOf, put } from './send.ts';
import { tellSleepers } from './telling.ts';

export type DeadLetters = Pick<Queue, 'listDead' | 'redrive' | 'purgeDead'>;

/** Ids count rows of the whole database: another cluster's are nobody here. */
export function deadLettersOn(sql: Sql, prefix: string): DeadLetters {
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
      const taken = await inPages(sql, { buried, own }, (ids) => redrive(sql, { ids, own }));
      // What cannot be sent never came here.
      return { ...taken, stuck: [] };
    },
    purgeDead: (buried) =>
      inPages(sql, { buried, own }, async (ids) => {
        const purged = await sql<{ id: string }[]>`
          delete from queue_dead where id = any(${ids}::bigint[]) and ${own} returning id::text`;
        return purged.map(({ id }) => id);
      }),
  };
}

/** So that no transaction takes long. */
const pageSize = 500;

type Pages = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

/** Acts on a page, and says whom it found. */
type Act = (ids: readonly string[]) => Promise<readonly string[]>;

async function inPages(sql: Sql, choosing: Choosing, act: Act): Promise<Taken> {
  const tally = openTally(choosing.buried);
  for await (const ids of pagesOf(sql, choosing)) tally.add(await act(ids));
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

type Wanted = { readonly ids: readonly string[]; readonly own: ReturnType<typeof isOwn> };

/** In the order in which they were buried; none of them is merged into what waits: it was counted as one. */
async function redrive(sql: Sql, { ids, own }: Wanted): Promise<readonly string[]> {
  return sql.begin(async (tx) => {
    const risen = await tx<(Outgoing & { readonly id: string })[]>`
      with chosen as (
        select id from queue_dead where id = any(${ids}::bigint[]) and ${own} order by id for update
      )
      delete from queue_dead using chosen where queue_dead.id = any(array[chosen.id])
      returning queue_dead.id::text, function, key as "group", type, body, event_id as "eventId",
        merge_key as "mergeKey", subject, attempt`;
    const ordered = risen.toSorted((one, other) => byNumber(one.id, other.id));
    if (ordered.length === 0) return [];
    await put(tx, ordered, 'apart');
    await tellSleepers(tx, functionsOf(ordered));
    return ordered.map(({ id }) => id);
  });
}

function byNumber(one: string, other: string): number {
  return BigInt(one) < BigInt(other) ? -1 : 1;
}
