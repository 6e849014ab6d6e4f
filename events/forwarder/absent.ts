import type { Cursor } from '#shared/domain/mirrored.ts';
import { planGone } from './plan.ts';
import { askServed } from './served.ts';
import { fenced, type Stage, wait } from './stage.ts';
import { carryOut, servedScope, transact, type Writer } from './writer.ts';

type Absence = Extract<Stage, { readonly kind: 'absent' }>;

/**
 * Nobody serves the kind. Where the API server itself says so, its objects are gone with it: their deletions are told.
 * A kind that is only not to be reached throws or waits in `served`, and nothing is deleted.
 */
export async function awaitKind({ cursor, why }: Absence, writer: Writer): Promise<Stage> {
  const { world, term, memory } = writer;
  const before = servedScope(writer).kind.version;
  const served = await askServed(writer);
  if (served !== undefined) {
    memory.served = served;
    // In the version that was refused it may only be on its way.
    return served.version === before ? wait(why) : relist(cursor);
  }
  const emptied = await deleteAll(cursor, writer);
  if (emptied === 'fenced') return fenced;
  world.tell({ kind: 'absent', scope: term.scope, why });
  return untilServed(emptied, writer);
}

async function untilServed(cursor: Cursor, writer: Writer): Promise<Stage> {
  const { world, term, signal, memory } = writer;
  while (!signal.aborted) {
    await world.pause(world.pace.absentMs, signal);
    if (signal.aborted) break;
    const served = await askServed(writer);
    world.tell({ kind: 'looked', scope: term.scope });
    if (served === undefined) continue;
    memory.served = served;
    return relist(cursor);
  }
  return { kind: 'check', cursor };
}

/** By way of a check: another history may have begun while nobody served it. */
function relist(cursor: Cursor): Stage {
  return { kind: 'check', cursor: { ...cursor, at: 'nowhere' } };
}

/** As after a list that showed nothing: a generation in which nobody is left. */
async function deleteAll(cursor: Cursor, writer: Writer): Promise<Cursor | 'fenced'> {
  const empty: Cursor = { ...cursor, generation: cursor.generation + 1, at: 'nowhere' };
  const max = writer.world.pace.batchLimit;
  for (;;) {
    let isLast = false;
    const committed = await transact(writer, async (transaction) => {
      const page = await transaction.unmarked({ generation: empty.generation, max });
      const plan = planGone(page.rows, cursor);
      isLast = page.isLast;
      const done = await carryOut(plan, { transaction, writer, cursor: empty });
      await transaction.setCursor(empty);
      return done;
    });
    if (committed.kind === 'fenced') return 'fenced';
    if (isLast) return empty;
  }
}
