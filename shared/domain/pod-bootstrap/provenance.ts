import { hasRoomFor } from '../annotation-room.ts';
import type { JsonObject } from '../json.ts';
import type { Change } from '../verdict.ts';
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

export type Marked = { readonly changes: readonly Change[]; readonly warnings: readonly string[] };

/** All of them or none: the pod would else be denied for our own, or be taken for what somebody else has made. */
export function provenance(annotations: JsonObject, deeds: Deeds): Marked {
  const { features, configurationHash, bundleHash, isChanged } = deeds;
  if (features.length === 0) return { changes: [], warnings: [] };

  const isStale = bundleHash !== undefined && annotations[marks.bundleHash] !== bundleHash;
  const value = JSON.stringify({ version, features, configuration: configurationHash });
  const most: readonly Mark[] = [
    { key: marks.modified, value: 'true', why: 'the pod was changed' },
    ...(bundleHash === undefined
      ? []
      : [{ key: marks.bundleHash, value: bundleHash, why: 'its bundle' }]),
    { key: marks.provenance, value, why: 'what was done to the pod' },
  ];
  const wanted = most.filter(({ key }) => key !== marks.modified || isChanged || isStale);
  const changes = annotated(annotations, wanted);
  // Whether it was changed does not count, or the second time might find room that the first has not.
  if (changes.length === 0 || hasRoomFor(annotations, textsOf(most)))
    return { changes, warnings: [] };
  return { changes: [], warnings: [noRoom] };
}

function textsOf(all: readonly Mark[]): JsonObject {
  return Object.fromEntries(all.map(({ key, value }) => [key, value]));
}

const noRoom =
  'the annotations of the pod leave no room for ours: it is not noted what was done to the pod, and it does not follow its trust bundle';
