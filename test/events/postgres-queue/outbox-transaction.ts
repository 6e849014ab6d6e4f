import type { Sql } from 'postgres';
import { outboxOn } from '#events/postgres-queue/outbox.ts';
import type { Transacting } from '../../contracts/queue/stage.ts';

/** One that writes to the outbox, and is ended from outside. */
export async function beginOutbox(sql: Sql): Promise<Transacting> {
  const own = await sql.reserve();
  await own`begin`;
  const end = async (how: 'commit' | 'rollback'): Promise<void> => {
    await own.unsafe(how);
    own.release();
  };
  return {
    // A reserved connection between `begin` and `commit` is a transaction in all but its type.
    send: (messages) =>
      outboxOn(Object.assign(own, { savepoint: refuse, prepare: refuse })).send(messages),
    commit: () => end('commit'),
    rollback: () => end('rollback'),
  };
}

function refuse(): never {
  throw new Error('an outbox needs no savepoints');
}
