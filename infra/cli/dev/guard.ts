import { realpathSync } from 'node:fs';
import type { Folders } from '../../emulator/dev/functions-in-work.ts';
import { linkedFolders } from '../../emulator/dev/linked-folders.ts';
import type { Lines } from './lines.ts';
import { openWatchdog } from './watchdog.ts';

export type Guard = {
  /** All is read. */
  begun(): void;
  stop(): Promise<void>;
};

/** Tells of a function that keeps all else waiting, and ends what nobody can work with. */
export function guardThread(lines: Lines, { builtIn, own }: Folders): Guard {
  const { log, say, errorAround } = lines;
  let isBegun = false;
  const theirs = withLinked(own === undefined ? [] : [own]);
  const all = [...withLinked(builtIn), ...theirs];
  const stop = openWatchdog({
    // A cold start reads our own modules for longer than any function may take.
    folders: () => (isBegun ? all : theirs),
    stuck(place) {
      const why = `${place}; Ctrl-C ends all of it, and so does half a minute; nothing is lost`;
      log.error({ why }, 'a function neither returns nor waits, and all else waits for it');
    },
    freed: (place, ms) => say(`it goes on; ${place} has kept it waiting for ${ms} ms`),
    end: (place) =>
      log.error({ why: place }, 'it is ended: mend that function, and start it again'),
    asleep: errorAround(
      (what) => `as execSync does${what}; await it instead (execFile of node:child_process)`,
      'a function waits in the midst of a call, and all else waits for it',
    ),
  });
  return {
    begun() {
      isBegun = true;
    },
    stop,
  };
}

function withLinked(folders: readonly string[]): readonly string[] {
  const roots = folders.flatMap(realPath);
  return [...roots, ...linkedFolders(roots)];
}

/** Of a folder that is missing others tell. */
function realPath(folder: string): readonly string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    return [];
  }
}
