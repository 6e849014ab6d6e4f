import type { Namespace } from '#shared/domain/namespace.ts';
import { askOwner, type Heard } from '#shared/domain/pod-bootstrap/housekeeping/desired-pods.ts';
import { excusedBy } from '#shared/domain/pod-bootstrap/housekeeping/held-back.ts';
import {
  dryRun,
  type Hindrance,
  paused,
} from '#shared/domain/pod-bootstrap/housekeeping/hindrance.ts';
import type { House } from '#shared/domain/pod-bootstrap/housekeeping/house.ts';
import { lookAhead, lookAround } from '#shared/domain/pod-bootstrap/housekeeping/look-around.ts';
import type { Looked } from '#shared/domain/pod-bootstrap/housekeeping/look-at-pods.ts';
import { lookingIn } from '#shared/domain/pod-bootstrap/housekeeping/look-over.ts';
import { heldBy } from '#shared/domain/pod-bootstrap/housekeeping/survey.ts';
import type { Cluster } from '#shared/ports.ts';

/** What keeps restarts from pods that is seen in the cluster: trips, turns and budgets stand in the measures. */
export type Waiting = {
  /** Of all pods. */
  readonly everywhere: string | undefined;
  /** Of one that lacks something, why nobody restarts it; its owner is asked once. */
  whyOf(looked: Looked, namespace: Namespace): Promise<string | undefined>;
};

export async function openWaiting(cluster: Cluster, house: House): Promise<Waiting> {
  const restarts = { trips: async () => [], ageMs: async () => Number.POSITIVE_INFINITY };
  const told = { clock: { now: () => house.policy.now }, cluster, restarts };
  const owners = new Map<string, Promise<readonly [Heard, Hindrance | undefined]>>();
  const asked = ({ pod }: Looked, namespace: Namespace) => {
    const uid = pod.owner?.uid ?? '';
    const whose = `${pod.namespace}/${uid}`;
    const found = owners.get(whose);
    if (found !== undefined) return found;
    const where = { uid, namespace: pod.namespace, by: pod.owner };
    const ahead = lookAhead(pod, lookingIn(house, namespace), told);
    const asking = Promise.all([askOwner(cluster, where), ahead]);
    owners.set(whose, asking);
    return asking;
  };
  return {
    everywhere:
      saidOf[house.policy.settings.mode] ??
      (await lookAround(house, told).then((found) => found?.why, unseen)),
    async whyOf(looked, namespace) {
      if (looked.excuse !== undefined || looked.reason === undefined) return heldBy(looked);
      const [heard, ahead] = await asked(looked, namespace).catch(() => []);
      return excusedBy(heard, [looked])[0]?.excuse ?? ahead?.by;
    },
  };
}

const saidOf = { on: undefined, dryRun, paused: paused.why } as const;

/** Who may see pods may not always see Leases and webhooks. */
function unseen(): string {
  return 'whether the webhook is called could not be seen';
}
