import { openDatabase } from '#shared/adapters/database/open.ts';
import { type Lying, refuseOtherSchema } from './known-schema.ts';

/** What a killed one held in its hands is free again: the database is ours alone, so that nobody else can hold it. */
export async function letGo(url: string, lying: Lying): Promise<void> {
  const database = openDatabase(url, { name: 'gatehouse-dev', connections: 1 });
  const { sql } = database;
  try {
    await refuseOtherSchema(sql, lying);
    const [there] = await sql`
      select to_regclass('queue_groups') is not null and to_regclass('watches') is not null
        as "isThere"`;
    if (there?.['isThere'] !== true) return;
    await sql`
      update queue_groups set is_claimed = false, visible_at = clock_timestamp()
      where is_claimed and visible_at > clock_timestamp()`;
    // Else the next forwarder stands by for nobody until they run out.
    await sql`
      update watches set holder = null, lease_until = clock_timestamp()
      where lease_until > clock_timestamp()`;
  } finally {
    await database.close();
  }
}
