import { describe } from 'vitest';
import { applyContract } from './cluster/applies.ts';
import { evictionContract } from './cluster/evictions.ts';
import { patchContract } from './cluster/patches.ts';
import type { Open } from './cluster/place.ts';
import { readContract } from './cluster/reads.ts';
import { writeContract } from './cluster/writes.ts';

/** What `ports.Cluster` promises, whatever stands behind it. */
export function clusterContract(name: string, open: Open): void {
  describe(name, () => {
    readContract(open);
    writeContract(open);
    patchContract(open);
    applyContract(open);
    evictionContract(open);
  });
}
