import { describe } from 'vitest';
import { customContract } from './list-watch/custom.ts';
import { listContract } from './list-watch/lists.ts';
import { lookContract } from './list-watch/looks.ts';
import type { Open } from './list-watch/place.ts';
import { selectedContract } from './list-watch/selected.ts';
import { streamedContract } from './list-watch/streamed.ts';
import { watchContract } from './list-watch/watches.ts';

/** Lists and watches, as an API server and our stream have them together. */
export function listWatchContract(name: string, open: Open): void {
  describe(name, () => {
    listContract(open);
    lookContract(open);
    watchContract(open);
    selectedContract(open);
    streamedContract(open);
    customContract(open);
  });
}
