import { describe } from 'vitest';
import { leaseContract } from './store/leases.ts';
import { listContract } from './store/lists.ts';
import { overlapContract } from './store/overlaps.ts';
import { rowContract } from './store/rows.ts';
import type { StoreStage } from './store/stage.ts';

export type { StoreStage };

/** What `Store` of the forwarder's ports promises. `open` gives an empty database each time. */
export function storeContract(name: string, open: () => Promise<StoreStage>): void {
  describe(name, () => {
    leaseContract(open);
    rowContract(open);
    listContract(open);
    overlapContract(open);
  });
}
