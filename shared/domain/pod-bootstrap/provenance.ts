import type { JsonObject } from '../json.ts';
import { annotated, type Mark } from './edits.ts';
import type { Feature } from './feature.ts';

export const marks = {
  /** As upstream has it: on pods that were changed. */
  modified: 'rt-bootstrapper.kyma-project.io/modified',
  /** As upstream has it: of the trust bundle that the pod was given. */
  bundleHash: 'rt-bootstrapper.kyma-project.io/ctb-hash',
  /** Ours: what was done, and by which configuration; on pods that needed no change as well. */
  provenance: 'gatehouse.io/pod-bootstrap',
} as const;

/** Of the mutation's own rules: not Gatehouse's, since pods of two releases must not undo each other's mark. */
const version = 1;

export type Deeds = {
  readonly features: readonly Feature[];
  readonly configurationHash: string;
  readonly bundleHash: string | undefined;
  readonly isChanged: boolean;
};

export function provenance(annotations: JsonObject, deeds: Deeds) {
  const { features, configurationHash, bundleHash, isChanged } = deeds;
  if (features.length === 0) return [];

  const isStale = bundleHash !== undefined && annotations[marks.bundleHash] !== bundleHash;
  const value = JSON.stringify({ version, features, configuration: configurationHash });
  const wanted: readonly (Mark | false)[] = [
    (isChanged || isStale) && { key: marks.modified, value: 'true', why: 'the pod was changed' },
    bundleHash !== undefined && { key: marks.bundleHash, value: bundleHash, why: 'its bundle' },
    { key: marks.provenance, value, why: 'what was done to the pod' },
  ];
  return annotated(
    annotations,
    wanted.filter((mark) => mark !== false),
  );
}
