import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Line, WatchEnd, Watching } from '#shared/domain/watched.ts';
import { backoffMs } from './backoff.ts';
import { restored } from './checking.ts';
import { readLines } from './lines.ts';
import { readAlone, settleLeavings } from './looking.ts';
import { afterRefusal } from './refusals.ts';
import { fenced, type Stage, wait } from './stage.ts';
import { isLines } from './streaming.ts';
import { watchTimeout } from './watch-timeout.ts';
import { commitSeen, scopeOf, type Writer } from './writer.ts';

type Stretch = Extract<Stage, { readonly kind: 'watch' }>;

/** From the cursor on, one batch a transaction. The socket is read only while nothing is being written. */
export async function watchOn(stage: Stretch, writer: Writer): Promise<Stage> {
  const opened = stage.watching ?? (await open(stage.cursor, writer));
  if (opened.kind === 'cut') return wait(opened.why);
  if (opened.kind !== 'open') return afterRefusal(opened, stage.cursor);

  const { world, term, memory } = writer;
  world.tell({ kind: 'watching', scope: term.scope });
  memory.watch = { openedAt: world.now(), lines: 0 };
  try {
    return await readOn({ cursor: stage.cursor, watching: opened }, writer);
  } finally {
    opened.close();
  }
}

function open({ at }: Cursor, writer: Writer) {
  const { world, signal } = writer;
  return world.stream.watch(scopeOf(writer), {
    resourceVersion: typeof at === 'string' ? undefined : at.resourceVersion,
    timeoutSeconds: watchTimeout(world),
    idleMs: world.pace.idleMs,
    signal,
  });
}

type Open = { readonly cursor: Cursor; readonly watching: Watching };

async function readOn(from: Open, writer: Writer): Promise<Stage> {
  let { cursor } = from;
  for (;;) {
    const lines = await from.watching.next();
    if (!isLines(lines)) return ended(lines, cursor, writer);

    writer.world.tell({ kind: 'heard', scope: writer.term.scope, lines: lines.length });
    writer.memory.watch.lines += lines.length;
    writer.memory.silentEnds = 0;
    const next = await write(lines, cursor, writer);
    if (next.kind !== 'on') return next;
    ({ cursor } = next);
    const audited = await writer.memory.audit.step(cursor, writer);
    if (audited === 'fenced') return fenced;
    if (audited === 'went-back') return restored(cursor, writer);
  }
}

type Written = { readonly kind: 'on'; readonly cursor: Cursor } | Stage;

async function write(lines: readonly Line[], cursor: Cursor, writer: Writer): Promise<Written> {
  const { world, term } = writer;
  const { seen, resourceVersion, unread, refused } = readLines(lines);
  const alone = await readAlone(unread, writer);
  const settled = await settleLeavings(seen, writer);
  if (alone === undefined || settled === undefined) return wait('a look at one object was refused');

  const next = resourceVersion === undefined ? cursor : { ...cursor, at: { resourceVersion } };
  const committed = await commitSeen(writer, [...settled, ...alone], next);
  if (committed.kind === 'fenced') return fenced;
  if (refused === undefined) return { kind: 'on', cursor: next };

  world.tell({ kind: 'refused-line', scope: term.scope, why: refused });
  return { kind: 'list', cursor: next, why: `a line could not be read: ${refused}` };
}

function ended(end: WatchEnd, cursor: Cursor, writer: Writer): Stage {
  const { world, term } = writer;
  const why = 'why' in end ? end.why : '';
  world.tell({ kind: 'watch-ended', scope: term.scope, how: end.kind, why });
  switch (end.kind) {
    case 'closed':
      return endedBySelf(cursor, writer);
    case 'idle':
    case 'cut':
      return { kind: 'check', cursor };
    default:
      return afterRefusal(end, cursor);
  }
}

/**
 * The third shape of a 410: the server ends the watch at once, and says nothing at all. Once may be a restart, and once
 * after the list that answered it. Where all of them end so, each list waits longer than the one before.
 */
function endedBySelf(cursor: Cursor, { world, memory }: Writer): Stage {
  const { openedAt, lines } = memory.watch;
  const isEarly = world.now() - openedAt < (world.pace.watchSeconds[0] * 1_000) / 2;
  if (lines > 0 || !isEarly) {
    memory.silentEnds = 0;
    return { kind: 'check', cursor };
  }
  memory.silentEnds += 1;
  if (memory.silentEnds % 2 === 0) {
    return { kind: 'list', cursor, why: 'the watch ended twice at once, without a word' };
  }
  const ms = backoffMs(memory.silentEnds - 1, world);
  return { kind: 'wait', why: 'the watch ended at once, without a word', ms };
}
