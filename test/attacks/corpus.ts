import { awayVectors } from './away-vectors.ts';
import { clusterVectors } from './cluster-vectors.ts';
import { cosignVectors } from './cosign-vectors.ts';
import { forgedVectors } from './forged-vectors.ts';
import { openKeylessVectors } from './keyless-vectors.ts';
import { lyingVectors } from './lying-vectors.ts';
import { type Outside, openOutsideWorld } from './outside.ts';
import { playedVectors } from './played-vectors.ts';
import { retoldVectors } from './retold-vectors.ts';
import { ruleVectors } from './rule-vectors.ts';
import { servedVectors } from './served-vectors.ts';
import { settleWorld } from './settle-world.ts';
import { silentVectors } from './silent-vectors.ts';
import { tufVectors } from './tuf-vectors.ts';
import type { StatedNamespace, Vector } from './vector.ts';
import { vectorsWritten } from './written-vectors.ts';

export type Corpus = {
  readonly outside: Outside;
  readonly vectors: readonly Vector[];
  /** That have to be there before the first is played. */
  readonly namespaces: readonly StatedNamespace[];
  close(): Promise<void>;
};

/** All vectors, with the servers that they need. */
export async function openCorpus(ports?: readonly [number, number, number]): Promise<Corpus> {
  const outside = await openOutsideWorld(ports);
  const places = await settleWorld(outside);
  const keyless = await openKeylessVectors(outside, places);
  const vectors = [
    ...vectorsWritten(places),
    ...forgedVectors(places),
    ...(await playedVectors(places)),
    ...lyingVectors(places),
    ...ruleVectors(outside, places),
    ...cosignVectors(places),
    ...keyless.vectors,
    ...clusterVectors(places),
    ...(await servedVectors(outside)),
    ...tufVectors(outside),
    ...(await retoldVectors(outside)),
    ...(await silentVectors(outside)),
    // Last, since the target takes its time after an outage.
    ...(await awayVectors(outside)),
  ];
  return {
    outside,
    vectors,
    namespaces: [...places.values(), ...vectors.flatMap(({ namespaces }) => namespaces)],
    close: async () => {
      await Promise.all([keyless.close(), outside.close()]);
    },
  };
}
