import { as } from './database.ts';
import { isQuiet, type Verdict } from './verdict.ts';
import type { Troupe } from './world.ts';

/** Where it is, what the verdict says nobody has run: late is on the queue or in the schedule, lost is nowhere. */
export async function inquest(
  { database, forwarders, workers }: Troupe,
  verdict: Verdict,
): Promise<string> {
  if (isQuiet(verdict)) return verdict.examples.join('\n');
  const uids = verdict.examples.flatMap((example) => /"uid":"([^"]+)"/.exec(example)?.[1] ?? []);
  const found = await as(database.url, async (sql) => [
    ...(await sql`select 'queue' as "at", * from queue_messages where subject = any(${uids})`),
    ...(await sql`select 'schedule' as "at", * from wakeups where subject = any(${uids})`),
    ...(await sql`select 'dead' as "at", * from queue_dead where subject = any(${uids})`),
    ...(await sql`
      select 'mirror' as "at", uid, scope, resource_version, deleted_at, changed_at
      from objects where uid = any(${uids})`),
  ]);
  return [
    ...verdict.examples,
    ...found.map((row) => JSON.stringify(row)),
    ...[...forwarders, ...workers].map(lastWordsOf),
  ].join('\n');
}

export function lastWordsOf({ name, said }: Troupe['workers'][number]): string {
  return `${name} said last:\n${said().slice(-4_000)}`;
}
