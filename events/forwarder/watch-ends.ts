import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Refused, WatchEnd } from '#shared/domain/watched.ts';
import { backoffMs } from './backoff.ts';
import { afterRefusal, tellForbidden } from './refusals.ts';
import type { Stage } from './stage.ts';
import type { Writer } from './writer.ts';

export function afterEnd(end: WatchEnd, cursor: Cursor, writer: Writer): Stage {
  const { world, term } = writer;
  const why = 'why' in end ? end.why : '';
  world.tell({ kind: 'watch-ended', scope: term.scope, how: end.kind, why });
  switch (end.kind) {
    case 'closed':
      return endedBySelf(cursor, writer);
    case 'idle':
    case 'cut':
      return afterBreak(why || 'a watch was silent for too long', cursor, writer);
    default:
      return afterNo(end, cursor, writer);
  }
}

/** A whole list after each watch is no answer where all of them end so at once: every other one waits first. */
export function afterNo(refused: Refused, cursor: Cursor, writer: Writer): Stage {
  tellForbidden(refused, writer);
  return isNoPlaceToGoOn.has(refused.kind)
    ? listOrWait(refused.why, cursor, writer)
    : afterRefusal(refused, cursor);
}

/** Who follows the kind now may take the version for none: versions of an aggregated API are what it likes. */
const isNoPlaceToGoOn: ReadonlySet<Refused['kind']> = new Set(['expired', 'unsupported']);

export function listOrWait(why: string, cursor: Cursor, writer: Writer): Stage {
  const vain = writer.memory.watch.hasGiven ? 0 : countVain(writer);
  if (vain === 0 || vain % 2 === 1) return { kind: 'list', cursor, why };
  return { kind: 'wait', why, ms: backoffMs(vain - 1, writer.world) };
}

/** While a watch lasted nobody was asked for another one: that counts as waiting. */
function afterBreak(why: string, cursor: Cursor, writer: Writer): Stage {
  if (writer.memory.watch.hasGiven) return { kind: 'check', cursor };
  const ms = backoffMs(countVain(writer) - 1, writer.world) - lastedMs(writer);
  return ms > 0 ? { kind: 'wait', why, ms } : { kind: 'check', cursor };
}

/** In a row. One that lasted begins anew, though it gave nothing: a quiet kind may have no bookmarks. */
function countVain(writer: Writer): number {
  const { memory, world } = writer;
  if (lastedMs(writer) >= world.pace.maxBackoffMs) {
    memory.vainEnds = 0;
    memory.failures = 0;
  }
  memory.vainEnds += 1;
  return memory.vainEnds;
}

/** A clock that was set back must make no wait longer. */
function lastedMs({ memory, world }: Writer): number {
  return Math.max(0, world.now() - memory.watch.openedAt);
}

/**
 * The third shape of a 410: the server ends the watch at once, and says nothing at all. Once may be a restart, and once
 * after the list that answered it. Where all of them end so, each list waits longer than the one before.
 */
function endedBySelf(cursor: Cursor, writer: Writer): Stage {
  const { world, memory } = writer;
  const isEarly = lastedMs(writer) < (world.pace.watchSeconds[0] * 1_000) / 2;
  if (memory.watch.hasGiven || !isEarly) {
    memory.silentEnds = 0;
    memory.failures = 0;
    return { kind: 'check', cursor };
  }
  if (memory.watch.lines > 0) return afterBreak('the watch ended early', cursor, writer);
  memory.silentEnds += 1;
  if (memory.silentEnds % 2 === 0) {
    return { kind: 'list', cursor, why: 'the watch ended twice at once, without a word' };
  }
  const ms = backoffMs(memory.silentEnds - 1, world);
  return { kind: 'wait', why: 'the watch ended at once, without a word', ms };
}
