import type { Cursor } from '#shared/domain/mirrored.ts';
import { isLater, type Line, type Watching } from '#shared/domain/watched.ts';
import type { Audit } from './audit.ts';
import { wakeOnceMore } from './backfilling.ts';
import { sayCaughtUp } from './catching-up.ts';
import { restored } from './checking.ts';
import { companyOf, untilTurn } from './company.ts';
import { readLines } from './lines.ts';
import { readAlone, settleLeavings } from './looking.ts';
import type { Memory } from './memory.ts';
import { openWatch } from './open-watch.ts';
import { afterLook, isRefused, tellUnkept } from './refusals.ts';
import { fenced, type Stage, wait } from './stage.ts';
import { isLines } from './streaming.ts';
import { furthest, isVersion } from './versions.ts';
import { afterEnd, afterNo, listOrWait } from './watch-ends.ts';
import { commitSeen, type Writer } from './writer.ts';

type Stretch = Extract<Stage, { readonly kind: 'watch' }> & { readonly audit: Audit };

/** From the cursor on, one batch a transaction. The socket is read only while nothing is being written. */
export async function watchOn(stage: Stretch, writer: Writer): Promise<Stage> {
  const { world, term, memory } = writer;
  const from = versionOf(stage.cursor);
  const opened = stage.watching ?? (from === undefined ? undefined : await openWatch(writer, from));
  memory.watch = { openedAt: world.now(), lines: 0, hasGiven: false };
  if (opened === undefined) return listOrWait('the list says no version', stage.cursor, writer);
  if (opened.kind === 'cut') return wait(opened.why);
  if (opened.kind !== 'open') return afterNo(opened, stage.cursor, writer);

  world.tell({ kind: 'watching', scope: term.scope });
  try {
    return await readOn({ ...stage, watching: opened }, writer);
  } finally {
    opened.close();
  }
}

function versionOf({ at }: Cursor): string | undefined {
  return typeof at === 'string' || !isVersion(at.resourceVersion) ? undefined : at.resourceVersion;
}

type Open = Stretch & { readonly watching: Watching };

async function readOn(open: Open, writer: Writer): Promise<Stage> {
  for (let at = open; ; ) {
    const next = await readBatch(at, writer);
    if (next.kind !== 'on') return next;
    at = { ...open, cursor: next.cursor };
  }
}

/** A call for each: a loop would hold what it read last until it reads again, and all of it would grow old in memory. */
async function readBatch({ cursor, watching, audit }: Open, writer: Writer): Promise<Written> {
  // Also before the first line: where none ever comes, silence begins the next watch.
  const audited = await audit.step(cursor, writer);
  if (audited === 'fenced') return fenced;
  if (audited === 'went-back') return restored(cursor, writer);
  if ((await wakeOnceMore(writer)) === 'fenced') return fenced;
  if ((await sayCaughtUp(cursor, writer)) === 'fenced') return fenced;

  const { world, term } = writer;
  let arrivedAt: number | undefined;
  const lines = await watching.next(async (bytes) => {
    arrivedAt = world.now();
    await untilTurn(bytes, world.store);
  });
  if (!isLines(lines)) return afterEnd(lines, cursor, writer);

  const waitedMs = arrivedAt === undefined ? 0 : world.now() - arrivedAt;
  world.tell({ kind: 'heard', scope: term.scope, lines: lines.length, waitedMs });
  return write(lines, cursor, writer);
}

type Written = { readonly kind: 'on'; readonly cursor: Cursor } | Stage;

async function write(lines: readonly Line[], cursor: Cursor, writer: Writer): Promise<Written> {
  const { world, term, memory } = writer;
  const { seen, resourceVersion, unread, refused } = readLines(lines);
  tellUnkept(seen, writer);
  const { ahead } = memory;
  const alone = await readAlone(unread, writer);
  if (isRefused(alone)) return afterLook(alone, writer);
  const settled = await settleLeavings(seen, writer);
  if (isRefused(settled)) return afterLook(settled, writer);

  const next = movedTo(resourceVersion, cursor);
  const how = alone.length === 0 ? companyOf(lines) : 'alone';
  const committed = await commitSeen(writer, [...settled, ...alone], next, how);
  if (committed.kind === 'fenced') return fenced;
  memory.watch.lines += lines.length;
  if (isFurther(next, cursor) || memory.ahead !== ahead) startAfresh(memory);
  if (refused === undefined) return { kind: 'on', cursor: next };

  world.tell({ kind: 'refused-line', scope: term.scope, why: refused });
  return listOrWait(`a line could not be read: ${refused}`, next, writer);
}

/** Never back: what a server says that was restored is to be behind it, when it is asked. */
function movedTo(said: string | undefined, cursor: Cursor): Cursor {
  const resourceVersion = furthest(versionOf(cursor), said);
  return resourceVersion === undefined ? cursor : { ...cursor, at: { resourceVersion } };
}

/** What was known before, or a bookmark of where the watch began, may be said again for ever. */
function isFurther({ at }: Cursor, { at: before }: Cursor): boolean {
  if (typeof at === 'string') return false;
  return typeof before === 'string' || isLater(at.resourceVersion, before.resourceVersion);
}

function startAfresh(memory: Memory): void {
  memory.watch.hasGiven = true;
  memory.silentEnds = 0;
  memory.vainEnds = 0;
  memory.failures = 0;
}
