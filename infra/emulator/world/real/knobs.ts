import type { Past } from '../../cluster/fake-cluster.ts';
import type { Faults } from '../../cluster/faults.ts';
import type { Knobs } from '../faults/knobs.ts';
import { idOf, type KnownKinds } from '../known-kinds.ts';
import type { Troubles } from '../memory/troubles.ts';
import { kindNamed } from '../ref.ts';

export type Turning = {
  readonly kinds: KnownKinds;
  readonly cluster: { readonly faults: Faults; readonly past: Past };
  readonly troubles: Troubles;
  readonly functions: () => readonly string[];
  readonly restart: () => Promise<void>;
  readonly recreate: Knobs['recreate'];
  /** Whose watches feed the mirror; everybody's where nobody else watches. */
  readonly isForwarder?: (user: string) => boolean;
  /** Those on the wire, which are the same in both kinds of parts. */
  readonly wire: Pick<Knobs, 'slow' | 'fail' | 'conflict'>;
};

export function realKnobs(turning: Turning): Knobs {
  const { cluster, troubles, wire, kinds, isForwarder = () => true } = turning;
  const { faults, past } = cluster;
  const resourceOf = (kind: string | undefined) =>
    kind === undefined ? undefined : idOf(kindNamed(kind, kinds));
  return {
    ...wire,
    ...processKnobs(turning),
    async gone(kind) {
      const resource = idOf(kindNamed(kind, kinds));
      faults.gone('event', { resource, times: 1 });
      faults.dropWatches(resource);
    },
    async staleMirror(kind, forMs = 5_000) {
      faults.holdWatches(forMs, isForwarder, resourceOf(kind));
    },
    compact: async () => past.compact(),
    dropWatches: async (kind) => faults.dropWatches(resourceOf(kind)),
    halfOpen: async (kind) => faults.halfOpen(resourceOf(kind)),
    async skewClock(ms = 30_000) {
      troubles.skewMs = ms;
    },
    async fail(request) {
      const { verb, code, times = 1 } = request;
      if (verb !== 'watch') return wire.fail(request);
      const resource = resourceOf(request.kind);
      faults.refuse(
        { verb, times, ...(resource === undefined ? {} : { resource }) },
        { code: Number(code) },
      );
    },
  };
}

type OfProcess =
  | 'duplicate'
  | 'coldStart'
  | 'restartAll'
  | 'recreate'
  | 'killAfterHandler'
  | 'reorderGroups';

function processKnobs({ troubles, functions, restart, recreate }: Turning): Pick<Knobs, OfProcess> {
  return {
    async duplicate({ atOnce = false, times = 1 } = {}) {
      if (atOnce) troubles.twins += times;
      else troubles.again += times;
    },
    async coldStart(ms) {
      troubles.coldMs = ms;
      troubles.cold = new Set(functions());
    },
    restartAll: restart,
    recreate,
    async killAfterHandler(times = 1) {
      troubles.deaths += times;
    },
    async reorderGroups() {
      troubles.isReversed = true;
    },
  };
}
