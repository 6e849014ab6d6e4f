import type { Change } from './history.ts';
import { bookmarkLine, lineOf, seenBy } from './watch-line.ts';
import type { Surroundings, Watch } from './watching.ts';

export type Said = Buffer | 'over' | undefined;

const chunkBytes = 64 * 1024;

/** What is to be said to one watcher, in pieces, when there is room for it. */
export function scriptOf(watch: Watch, around: Surroundings) {
  const start = around.revision();
  const initial = watch.from === 'initial' ? initialLines(watch, start) : undefined;
  const after = watch.from === 'initial' ? start : watch.from;
  const live = liveLines(watch, around, after);
  let wantsBookmark = false;

  const bookmark = () => {
    if (!wantsBookmark) return undefined;
    wantsBookmark = false;
    if (around.revision() < after) return undefined;
    const mark = { version: around.revision(), isInitialEnd: false };
    return bookmarkLine(watch.of.kind, watch.view, mark);
  };
  const nextLine = (): Said => initial?.next().value ?? live() ?? bookmark();
  return {
    /** After what has happened so far. */
    wantBookmark: () => {
      wantsBookmark = true;
    },
    next: () => gathered(nextLine),
  };
}

function* initialLines(
  { of, selects, view, endsInitial }: Watch,
  version: number,
): Generator<Buffer, undefined> {
  for (const stored of of.at(version) ?? []) {
    if (selects(stored)) yield lineOf({ type: 'ADDED', stored }, of.kind, view);
  }
  if (endsInitial) yield bookmarkLine(of.kind, view, { version, isInitialEnd: true });
  return undefined;
}

function liveLines({ of, selects, view }: Watch, { lineFor }: Surroundings, after: number) {
  let place = of.changes.placeAfter(after);
  const lineAt = (change: Change): Said => {
    // Who comes from the future is told nothing until it is there.
    const seen = change.version > after ? seenBy(selects, change) : undefined;
    return seen && lineFor(seen, of.kind, view);
  };
  return (): Said => {
    for (let change = of.changes.from(place); change; change = of.changes.from(place)) {
      // Slower than the window: the real server closes such a watch as well.
      if (change === 'forgotten') return 'over';
      place += 1;
      const line = lineAt(change);
      if (line !== undefined) return line;
    }
    return undefined;
  };
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
