import { type Kind, secrets } from '../../kind.ts';
import { type Hindrance, hindranceOfAll, hindranceOfOne, type Trip } from './hindrance.ts';
import type { House } from './house.ts';
import type { HousedPod } from './housed-pod.ts';
import type { Wanted } from './judge-pod.ts';
import { hasAny } from './look-over.ts';
import { startNeedsOf } from './start-needs.ts';
import { whyUnhealthyIn } from './webhook-health.ts';

type Told = {
  readonly clock: { now(): Date };
  readonly cluster: Parameters<typeof whyUnhealthyIn>[0] & {
    list(
      kind: Kind,
      options: {
        readonly namespace: string;
        readonly fields: string;
        readonly metadataOnly: boolean;
      },
    ): AsyncIterable<unknown>;
  };
  readonly restarts: {
    trips(): Promise<readonly Trip[]>;
    bundleAgeMs(name: string, hash: string): Promise<number>;
  };
};

/** What hinders all, as it is now. */
export async function lookAround(
  { bundle, trustBundle, policy: { settings, installation } }: House,
  { clock, cluster, restarts }: Told,
): Promise<Hindrance | undefined> {
  const isPresent = bundle !== undefined && trustBundle.kind === 'present';
  return hindranceOfAll({
    ...{ bundle, trustBundle, settings, trips: await restarts.trips() },
    bundleAgeMs: isPresent ? await restarts.bundleAgeMs(bundle, trustBundle.hash) : undefined,
    unhealthy: await whyUnhealthyIn(cluster, { installation, now: clock.now() }),
  });
}

/** What hinders this one alone. */
export async function lookAhead(
  pod: HousedPod,
  { wanted, policy: { settings } }: { readonly wanted: Wanted; readonly policy: House['policy'] },
  { cluster, restarts }: Told,
): Promise<Hindrance | undefined> {
  const { namespace } = pod;
  const { trustBundle } = wanted;
  const needs = startNeedsOf(pod, wanted);
  const hasPullSecret = await hasSecret(cluster, namespace, needs.pullSecret);
  const trips = await restarts.trips();
  return hindranceOfOne({ needs, namespace, trustBundle, settings, trips, hasPullSecret });
}

/** Whether it is there, without a byte of it. */
async function hasSecret(cluster: Told['cluster'], namespace: string, name: string | undefined) {
  if (name === undefined) return false;
  const at = { namespace, fields: `metadata.name=${name}`, metadataOnly: true };
  return hasAny(cluster.list(secrets, at));
}
