import type { Bell } from './bell.ts';
import type { Sql } from './connection.ts';
import { channel, functionsIn } from './telling.ts';

/** On a connection of its own, which is made again when it is lost; then everybody looks at once. */
export async function listenTo(sql: Sql, bell: Bell): Promise<() => Promise<void>> {
  const { unlisten } = await sql.listen(
    channel,
    (notice) => bell.ring(functionsIn(notice)),
    () => bell.ring(),
  );
  return unlisten;
}
