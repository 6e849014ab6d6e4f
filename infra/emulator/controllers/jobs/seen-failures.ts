import type { Pod } from '../shapes/pod.ts';
import type { Count } from './count-pods.ts';

export type Failures = {
  readonly lastFailureMs: number | undefined;
  /** When this pod was first seen to have failed, of those that are to be replaced. */
  failedAt(pod: Pod): number;
};

type Seen = {
  readonly failed: number;
  readonly lastMs: number;
  readonly pods: ReadonlyMap<string, number>;
};

/** When pods of a job were first seen to have failed: a status knows seconds. */
export function openSeenFailures() {
  const seen = new Map<string, Seen>();
  return {
    forget: (place: string) => seen.delete(place),
    look(place: string, count: Count, nowMs: number): Failures {
      const before = seen.get(place);
      const failed = count.failed + count.uncounted.failed.length;
      const lastMs = before?.failed === failed ? before.lastMs : nowMs;
      const uids = [...(count.failures?.replaceable.values() ?? [])].map(
        ({ metadata }) => metadata.uid,
      );
      const pods = new Map(uids.map((uid) => [uid, before?.pods.get(uid) ?? nowMs]));
      seen.set(place, { failed, lastMs, pods });
      return { lastFailureMs: lastMs, failedAt: ({ metadata }) => pods.get(metadata.uid) ?? nowMs };
    },
  };
}
