import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Mark } from './memory.ts';
import { isBehind } from './versions.ts';
import { nothing, servedScope, transact, type Writer } from './writer.ts';

/**
 * Between two batches: a watch that is behind writes as well, but what it writes is old. So of kinds that sets are of, the
 * collection's version is asked for now and then, and where the cursor has come to it, the mirror has all that was there when
 * it was asked. Nobody waits for the answer: lists may be held up while a watch goes on.
 */
export async function sayCaughtUp(cursor: Cursor, writer: Writer): Promise<'on' | 'fenced'> {
  const { world, followed, memory } = writer;
  if (followed.isOfSets !== true || typeof cursor.at === 'string') return 'on';
  if (memory.mark?.epoch !== cursor.epoch) memory.mark = undefined;
  const { mark } = memory;
  if (mark !== undefined && !isBehind(cursor.at.resourceVersion, mark.resourceVersion)) {
    // Also where versions are no numbers, and say nothing about their order: something was heard since, and more is not known.
    memory.mark = undefined;
    if ((await save(mark, writer)) === 'fenced') return 'fenced';
  }
  if (memory.mark === undefined && world.now() >= memory.nextMarkAt) {
    memory.nextMarkAt = world.now() + world.pace.caughtUpMs;
    void markNow(cursor, writer).catch(unanswered);
  }
  return 'on';
}

async function markNow({ at, epoch }: Cursor, writer: Writer): Promise<void> {
  const { world, memory, signal } = writer;
  const atMs = await world.store.moment();
  const answer = await world.stream.version(servedScope(writer), signal);
  if (answer.kind !== 'version' || typeof at === 'string') return;
  const { resourceVersion } = answer;
  // A replica that lags, or a server that was restored: that is no version of now.
  if (isBehind(resourceVersion, at.resourceVersion)) return;
  memory.mark = { atMs, epoch, resourceVersion };
}

/** It is asked for again. */
const unanswered = () => {};

async function save({ atMs }: Mark, writer: Writer): Promise<'on' | 'fenced'> {
  const saved = await transact(writer, async (transaction) => {
    await transaction.setCaughtUp(atMs);
    return nothing;
  });
  return saved.kind === 'fenced' ? 'fenced' : 'on';
}
