import { openDatabase } from '#shared/adapters/database/open.ts';

/** What a killed one held in its hands is free again: the database is ours alone, so that nobody else can hold it. */
export async function letGo(url: string): Promise<void> {
  const database = openDatabase(url, { name: 'gatehouse-dev', connections: 1 });
  const { sql } = database;
  try {
    const [there] = await sql`select to_regclass('queue_groups') is not null as "isThere"`;
    if (there?.['isThere'] !== true) return;
    await sql`
      update queue_groups set is_claimed = false, visible_at = clock_timestamp()
      where is_claimed and visible_at > clock_timestamp()`;
  } finally {
    await database.close();
  }
}
