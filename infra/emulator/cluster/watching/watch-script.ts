import { bare } from '../reading/view.ts';
import { isRefusal } from '../refusal.ts';
import type { Change } from '../store/history.ts';
import { bookmarkLine, lineOf, type Seen, seenBy } from './watch-line.ts';
import type { Surroundings, Watch } from './watching.ts';

export type Said = Buffer | 'over' | undefined;

const chunkBytes = 64 * 1024;

/** What is to be said to one watcher, in pieces, when there is room for it. */
export function scriptOf(watch: Watch, around: Surroundings, onReady: () => void) {
  const start = around.revision();
  const initial = watch.from === 'initial' ? initialSeen(watch, start) : undefined;
  const after = watch.from === 'initial' ? start : watch.from;
  const live = liveSeen(watch, after, around.mostBehind);
  const lines = linesOf(watch, around, onReady);
  let wantsBookmark = false;
  let wantsEnd = initial !== undefined && watch.endsInitial;

  const bookmark = (isInitialEnd: boolean): Said => {
    const version = isInitialEnd ? start : around.revision();
    if (version < after) return undefined;
    return bookmarkLine(watch.of.kind, watch.view, { version, isInitialEnd });
  };
  const mark = (): Said => {
    const isWanted = wantsBookmark;
    wantsBookmark = false;
    return isWanted ? bookmark(false) : undefined;
  };
  const firstLine = (): Said | 'said' => {
    const first = initial?.next().value;
    if (first !== undefined) return lines.say(first, 'once');
    if (!wantsEnd) return 'said';
    wantsEnd = false;
    return bookmark(true);
  };
  const nextLine = (): Said => {
    if (lines.isWaiting()) return lines.ready();
    const first = firstLine();
    if (first !== 'said') return first;
    const seen = live();
    if (seen === 'over') return 'over';
    return seen === undefined ? mark() : lines.say(seen, 'to-many');
  };
  return {
    /** After what has happened so far. */
    wantBookmark: () => {
      wantsBookmark = true;
    },
    next: () => gathered(nextLine),
  };
}

function* initialSeen({ of, selects }: Watch, version: number): Generator<Seen, undefined> {
  for (const stored of of.at(version) ?? []) {
    if (selects(stored)) yield { type: 'ADDED', stored };
  }
  return undefined;
}

function liveSeen({ of, selects }: Watch, after: number, mostBehind: () => number) {
  let place = of.changes.placeAfter(after);
  // What is past by now comes out of the memory that is for all.
  const openedAt = of.changes.end();
  // Who comes from the future is told nothing until it is there.
  const seenIn = (change: Change) => (change.version > after ? seenBy(selects, change) : undefined);
  return (): Seen | 'over' | undefined => {
    // As the real server, whose buffer for this watcher is full by then: he comes again, from where he is.
    if (of.changes.end() - Math.max(place, openedAt) > mostBehind()) return 'over';
    for (let change = of.changes.from(place); change; change = of.changes.from(place)) {
      // Slower than the window of the past.
      if (change === 'forgotten') return 'over';
      place += 1;
      const seen = seenIn(change);
      if (seen !== undefined) return seen;
    }
    return undefined;
  };
}

/** The text of each; where others have to be asked for it, it is ready later. */
function linesOf(watch: Watch, around: Surroundings, onReady: () => void) {
  const { conversion } = watch;
  const written = writer(watch, around);
  let waiting: { line: Said } | undefined;
  return {
    isWaiting: () => waiting !== undefined,
    ready(): Said {
      const line = waiting?.line;
      if (line !== undefined) waiting = undefined;
      return line;
    },
    say(seen: Seen, to: To): Said {
      if (conversion === undefined) return written(seen, to);
      const own: { line: Said } = { line: undefined };
      waiting = own;
      void conversion.shown([seen.stored]).then((shown) => {
        own.line = lineFrom(shown, seen, written);
        onReady();
      });
      return undefined;
    },
  };
}

type To = 'once' | 'to-many';

/** Only the first line of a table says what its columns are. */
function writer({ of, view }: Watch, { lineFor }: Surroundings) {
  let isFirst = true;
  return (seen: Seen, to: To): Buffer => {
    const shape = isFirst ? view : bare(view);
    isFirst = false;
    return to === 'once' ? lineOf(seen, of.kind, shape) : lineFor(seen, of.kind, shape);
  };
}

type Shown = Awaited<ReturnType<NonNullable<Watch['conversion']>['shown']>>;

/** What cannot be converted ends the watch: whoever follows has to come again. */
function lineFrom(shown: Shown, seen: Seen, written: (seen: Seen, to: 'once') => Buffer): Said {
  const [stored] = isRefusal(shown) ? [] : shown;
  return stored === undefined ? 'over' : written({ ...seen, stored }, 'once');
}

function gathered(nextLine: () => Said): Said {
  const lines: Buffer[] = [];
  let bytes = 0;
  while (bytes < chunkBytes) {
    const line = nextLine();
    if (line === 'over' && lines.length === 0) return 'over';
    if (!Buffer.isBuffer(line)) break;
    lines.push(line);
    bytes += line.length;
  }
  if (lines.length < 2) return lines[0];
  return Buffer.concat(lines);
}
