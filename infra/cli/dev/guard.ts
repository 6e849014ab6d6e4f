import { realpathSync } from 'node:fs';
import type { Folders } from '../../emulator/dev/functions-in-work.ts';
import { linkedFolders } from '../../emulator/dev/linked-folders.ts';
import type { Lines } from './lines.ts';
import { openWatchdog } from './watchdog.ts';

/** Tells of a function that keeps all else waiting, and ends what nobody can work with. */
export function guardThread({ log, say }: Lines, { builtIn, own }: Folders): () => Promise<void> {
  const roots = [...builtIn, ...(own === undefined ? [] : [own])].flatMap(realPath);
  return openWatchdog({
    folders: [...roots, ...linkedFolders(roots)],
    stuck(place) {
      const why = `${place}; Ctrl-C ends all of it, and so does half a minute; nothing is lost`;
      log.error({ why }, 'a function neither returns nor waits, and all else waits for it');
    },
    freed: (place, ms) => say(`it goes on; ${place} has kept it waiting for ${ms} ms`),
    end: (place) =>
      log.error({ why: place }, 'it is ended: mend that function, and start it again'),
  });
}

/** Of a folder that is missing others tell. */
function realPath(folder: string): readonly string[] {
  try {
    return [realpathSync(folder)];
  } catch {
    return [];
  }
}
