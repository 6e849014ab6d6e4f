import { type Kind, secrets, serviceAccounts } from '../../kind.ts';
import type { KubeObject } from '../../kube-object.ts';
import { pullSecretType } from '../pull-secret-replica.ts';
import { ageMs } from './excuse.ts';
import { type Hindrance, hindranceOfAll, hindranceOfOne, type Trip } from './hindrance.ts';
import { configurationName, type House } from './house.ts';
import type { HousedPod } from './housed-pod.ts';
import type { Wanted } from './judge-pod.ts';
import { hasAny } from './look-over.ts';
import { refusesPullSecret } from './mountable-secrets.ts';
import { startNeedsOf } from './start-needs.ts';
import { whyUnhealthyIn } from './webhook-health.ts';

type Told = {
  readonly clock: { now(): Date };
  readonly cluster: Parameters<typeof whyUnhealthyIn>[0] & {
    find(target: {
      readonly kind: Kind;
      readonly namespace: string;
      readonly name: string;
    }): Promise<KubeObject | undefined>;
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
    ageMs(name: string, hash: string): Promise<number>;
  };
};

/** What hinders all, as it is now. */
export async function lookAround(
  { configuration, bundle, trustBundle, problem, policy: { settings, installation } }: House,
  { clock, cluster, restarts }: Told,
): Promise<Hindrance | undefined> {
  const isPresent = bundle !== undefined && trustBundle.kind === 'present';
  return hindranceOfAll({
    ...{ bundle, trustBundle, problem, settings, trips: await restarts.trips() },
    bundleAgeMs: isPresent ? await restarts.ageMs(bundle, trustBundle.hash) : undefined,
    configurationAgeMs: await restarts.ageMs(configurationName, configuration.hash),
    unhealthy: await whyUnhealthyIn(cluster, { installation, now: clock.now() }),
  });
}

/** A creation's time has no part of a second. */
const secondMs = 1_000;

/** Whether what pods are to have was otherwise when this one was made, or since: it may have been made by that. */
export async function hasChangedSince(
  pod: HousedPod,
  { configuration, bundle, trustBundle }: House,
  { clock, restarts }: Told,
): Promise<boolean> {
  const lastMs = ageMs(pod, clock.now()) - secondMs;
  if ((await restarts.ageMs(configurationName, configuration.hash)) < lastMs) return true;
  if (bundle === undefined || trustBundle.kind !== 'present') return false;
  return (await restarts.ageMs(bundle, trustBundle.hash)) < lastMs;
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
  const refusedTo = await accountThatRefuses(cluster, pod, needs.pullSecret);
  const trips = await restarts.trips();
  const about = { needs, namespace, trustBundle, settings, trips };
  return hindranceOfOne({ ...about, hasPullSecret, refusedTo });
}

/** Whether it is there, without a byte of it. What has its name and another type is somebody else's. */
async function hasSecret(cluster: Told['cluster'], namespace: string, name: string | undefined) {
  if (name === undefined) return false;
  const fields = `metadata.name=${name},type=${pullSecretType}`;
  return hasAny(cluster.list(secrets, { namespace, fields, metadataOnly: true }));
}

async function accountThatRefuses(
  cluster: Told['cluster'],
  { namespace, serviceAccount: name }: HousedPod,
  pullSecret: string | undefined,
): Promise<string | undefined> {
  if (pullSecret === undefined) return undefined;
  const account = await cluster.find({ kind: serviceAccounts, namespace, name });
  return refusesPullSecret(account, pullSecret) ? `${namespace}/${name}` : undefined;
}
