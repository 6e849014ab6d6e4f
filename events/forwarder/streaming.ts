import type { Cursor } from '#shared/domain/mirrored.ts';
import type { Line, WatchEnd, Watching } from '#shared/domain/watched.ts';
import { restored } from './checking.ts';
import { readLines } from './lines.ts';
import { type Complete, commitListed } from './listed.ts';
import { readAlone, settleLeavings } from './looking.ts';
import { openWatch } from './open-watch.ts';
import { afterLook, afterRefusal, isRefused, tellForbidden, tellUnkept } from './refusals.ts';
import { fenced, type Stage, wait } from './stage.ts';
import type { Writer } from './writer.ts';

type Unsupported = { readonly kind: 'unsupported' };

/** A list that comes as a watch: what exists first, then a bookmark, then what changes. */
export async function readStream(
  cursor: Cursor,
  writer: Writer,
): Promise<Complete | Stage | Unsupported> {
  const { world, memory } = writer;
  if (world.now() < memory.pagesUntil) return { kind: 'unsupported' };
  const watching = await openWatch(writer, undefined);
  if (watching.kind === 'unsupported') return { kind: 'unsupported' };
  if (watching.kind === 'absent' || watching.kind === 'forbidden') {
    tellForbidden(watching, writer);
    return afterRefusal(watching, cursor);
  }
  if (watching.kind !== 'open') return unfinished(watching, writer);

  const read = await readInitial({ watching, cursor, writer });
  if (read.kind === 'complete') memory.brokenStreams = 0;
  else watching.close();
  return read;
}

type Reading = {
  readonly watching: Watching;
  readonly cursor: Cursor;
  readonly writer: Writer;
};

async function readInitial(reading: Reading): Promise<Complete | Stage> {
  let objects = 0;
  let inherited = 0;
  for (;;) {
    const lines = await reading.watching.next();
    if (!isLines(lines)) return unfinished(lines, reading.writer);

    const end = lines.findIndex((line) => line.kind === 'bookmark' && line.isInitialEnd);
    const read = await take(end < 0 ? lines : lines.slice(0, end), reading);
    if (read.kind !== 'taken') return read;

    objects += read.objects;
    inherited += read.inherited;
    const bookmark = lines[end];
    if (bookmark?.kind !== 'bookmark') continue;
    const { resourceVersion } = bookmark;
    const watching = continued(reading.watching, lines.slice(end + 1));
    return { kind: 'complete', resourceVersion, objects, inherited, watching };
  }
}

const mostBroken = 3;
/** Then the server may be another one. */
const pagesForMs = 3_600_000;

/** Not in this generation: what it has marked may be gone before the pages are read. */
function unfinished(end: WatchEnd, writer: Writer): Stage {
  countBroken(endsOfStrangers.has(end.kind) ? mostBroken : 1, writer);
  const why = 'why' in end ? `${end.kind}: ${end.why}` : end.kind;
  const afterSeconds = end.kind === 'busy' ? end.afterSeconds : undefined;
  return wait(`the list ended unfinished (${why})`, afterSeconds);
}

/** Of whoever has no such lists, or does not know how they end. The others may be an outage. */
const endsOfStrangers: ReadonlySet<WatchEnd['kind']> = new Set(['closed', 'idle', 'unsupported']);

function countBroken(times: number, { memory, world }: Writer): void {
  memory.brokenStreams += times;
  if (memory.brokenStreams < mostBroken) return;
  memory.brokenStreams = 0;
  memory.pagesUntil = world.now() + pagesForMs;
}

type Taken = Pick<Complete, 'objects' | 'inherited'> & { readonly kind: 'taken' };

async function take(lines: readonly Line[], { cursor, writer }: Reading): Promise<Taken | Stage> {
  const { seen, unread, refused } = readLines(lines);
  if (refused !== undefined) {
    countBroken(1, writer);
    return wait(refused);
  }
  tellUnkept(seen, writer);
  const alone = await readAlone(unread, writer);
  if (isRefused(alone)) return afterLook(alone, writer);
  // Changes come before the end of the list as well, for as long as the server takes to say it.
  const settled = await settleLeavings(seen, writer);
  if (isRefused(settled)) return afterLook(settled, writer);
  const committed = await commitListed(writer, [...settled, ...alone], cursor);
  if (committed.kind === 'went-back') return restored(cursor, writer);
  if (committed.kind === 'fenced') return fenced;
  const { inherited } = committed;
  return { kind: 'taken', objects: seen.length + alone.length, inherited };
}

export function isLines<T>(answer: readonly Line[] | T): answer is readonly Line[] {
  return Array.isArray(answer);
}

/** What came in one piece with the end of the list is the watch's first. */
function continued(watching: Watching, first: readonly Line[]): Watching {
  if (first.length === 0) return watching;
  let waiting: readonly Line[] | undefined = first;
  return {
    ...watching,
    next(beforeReading) {
      const lines = waiting;
      waiting = undefined;
      return lines === undefined ? watching.next(beforeReading) : Promise.resolve(lines);
    },
  };
}
