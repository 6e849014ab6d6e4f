import type { Past } from '../../cluster/fake-cluster.ts';
import type { Faults } from '../../cluster/faults.ts';
import type { FailedRequest, Knobs, Whose } from '../faults/knobs.ts';
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
  /** Whether that is Gatehouse itself; everybody is where nobody else asks. */
  readonly isOurs?: (user: string) => boolean;
  /** Those on the wire, which are the same in both kinds of parts. */
  readonly wire: Pick<Knobs, 'slow' | 'fail' | 'conflict'>;
};

export function realKnobs(turning: Turning): Knobs {
  return { ...turning.wire, ...processKnobs(turning), ...clusterKnobs(turning) };
}

type OfCluster = Exclude<keyof Knobs, OfProcess | 'conflict'>;

function clusterKnobs(turning: Turning): Pick<Knobs, OfCluster> {
  const { cluster, troubles, wire, kinds, isOurs = everybody } = turning;
  const { faults, past } = cluster;
  const resourceOf = (kind: string | undefined) =>
    kind === undefined ? undefined : idOf(kindNamed(kind, kinds));
  const meant = (user: Whose = 'gatehouse') => (user === 'gatehouse' ? isOurs : everybody);
  return {
    /** Each of the watches that end is told it when it comes again; where there is none, the next one is. */
    async gone(kind, user) {
      const resource = idOf(kindNamed(kind, kinds));
      const isMeant = meant(user);
      const watches = faults.dropWatches(resource, isMeant);
      faults.gone('event', { resource, isMeant, times: Math.max(1, watches) });
    },
    async staleMirror(kind, forMs = 5_000) {
      faults.holdWatches(forMs, isOurs, resourceOf(kind));
    },
    compact: async () => past.compact(),
    dropWatches: async (kind, user) => void faults.dropWatches(resourceOf(kind), meant(user)),
    halfOpen: async (kind, user) => void faults.halfOpen(resourceOf(kind), meant(user)),
    async skewClock(ms = 30_000) {
      troubles.skewMs = ms;
    },
    async slow(ms, aim) {
      if (aim?.verb === 'watch')
        throw new Error('a watch is not slowed: staleMirror holds it back');
      return wire.slow(ms, aim);
    },
    async fail(request) {
      const { verb, kind, code, times = 1, after = 0, user } = request;
      if (verb !== 'watch') return wire.fail(onlyOurs(request));
      const resource = resourceOf(kind);
      const which = resource === undefined ? {} : { resource };
      const aim = { ...which, verb, times, after, isMeant: meant(user) };
      if (code === 'lost') faults.cut(aim);
      else faults.refuse(aim, { code });
    },
  };
}

const everybody = () => true;

/** What is no watch is refused to functions alone. */
function onlyOurs(request: FailedRequest): FailedRequest {
  if (request.user !== 'everybody') return request;
  throw new Error(
    'user=everybody is for verb=watch: what else is refused, is refused to functions',
  );
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
