import type { TrustBundle } from '../trust-bundle.ts';
import { msOf } from './look-at-pods.ts';
import type { RestartSettings } from './restart-settings.ts';
import type { StartNeeds } from './start-needs.ts';

/** Why nothing goes now, though something should. */
export type Hindrance = {
  readonly kind: 'hindered';
  readonly by: Hindering;
  readonly why: string;
  /** When it is worth while to look again; nothing where the period is soon enough. */
  readonly afterSeconds: number | undefined;
  /** Nobody can go, whoever it is. */
  readonly isEverywhere: boolean;
};

export type Hindering =
  | 'paused'
  | 'webhook'
  | 'document'
  | 'breaker'
  | 'bundle-unknown'
  | 'bundle-new'
  | 'bundle-absent'
  | 'configuration-new'
  | 'pull-secret'
  | 'service-account'
  | 'on-delete'
  | 'orphan'
  | 'tripped'
  | 'budget'
  | 'turn'
  | 'young'
  | 'replacement'
  | 'replacement-new'
  | 'replacement-late'
  | 'failed';

/** An owner's pods came back as they were. */
export type Trip = { readonly namespace: string; readonly sinceMs: number };

type Breaking = {
  /** Of each namespace the last one. */
  readonly trips: readonly Trip[];
  readonly settings: Pick<RestartSettings, 'breakerPause' | 'bundleSettle' | 'configurationSettle'>;
};

/** What is to be known before anybody is evicted. */
export type Surroundings = Breaking & {
  /** The name of the bundle that pods may be given. */
  readonly bundle: string | undefined;
  readonly trustBundle: TrustBundle;
  /** Of the document that stands in the cluster. */
  readonly problem: string | undefined;
  /** For how long it has been this one. */
  readonly bundleAgeMs: number | undefined;
  readonly configurationAgeMs: number;
  readonly unhealthy: string | undefined;
};

/** What is to be known before this one is. */
export type Circumstances = Breaking & {
  readonly namespace: string;
  readonly needs: StartNeeds;
  readonly trustBundle: TrustBundle;
  readonly hasPullSecret: boolean;
  /** The pod's service account, where the API server refuses the pull secret to its pods. */
  readonly refusedTo: string | undefined;
};

export function hindranceOfAll(around: Surroundings): Hindrance | undefined {
  const { unhealthy } = around;
  return (
    documentHindrance(around) ??
    bundleHindrance(around) ??
    configurationHindrance(around) ??
    breakerHindrance(around) ??
    (unhealthy === undefined ? undefined : everywhere('webhook', unhealthy, 30_000))
  );
}

/** Whoever starts meanwhile has read none before it, and makes pods as if there were none. */
export function documentHindrance({ problem }: Pick<Surroundings, 'problem'>) {
  if (problem === undefined) return undefined;
  const why = `the document cannot be used (${problem}): who has just started knows none`;
  return everywhere('document', why, 30_000);
}

function bundleHindrance({ bundle, trustBundle, settings, bundleAgeMs = 0 }: Surroundings) {
  if (bundle === undefined) return undefined;
  if (trustBundle.kind === 'unknown')
    return everywhere('bundle-unknown', 'the bundle could not be read', 10_000);
  if (trustBundle.kind !== 'present') return undefined;
  // Until the kubelet, and all of our caches, have learnt of it.
  const leftMs = msOf(settings.bundleSettle) - bundleAgeMs;
  if (leftMs <= 0) return undefined;
  return everywhere('bundle-new', 'the bundle has just changed', leftMs);
}

/** A replica that goes by the one before makes pods as they were, which looks as if the webhook were broken. */
function configurationHindrance({ settings, configurationAgeMs }: Surroundings) {
  const leftMs = msOf(settings.configurationSettle) - configurationAgeMs;
  if (leftMs <= 0) return undefined;
  return everywhere('configuration-new', 'the configuration has just changed', leftMs);
}

/** Whoever may write pods can have his own come back as they were: that stops him, and nobody else. */
function breakerHindrance({ trips, settings }: Breaking) {
  const left = trips.map(({ sinceMs }) => msOf(settings.breakerPause) - sinceMs);
  const [, second] = left.filter((ms) => ms > 0).toSorted((one, other) => other - one);
  if (second === undefined) return undefined;
  return everywhere('breaker', 'pods of several namespaces came back as they were', second);
}

/** Until the settings say otherwise. */
export const paused = everywhere('paused', 'they are paused (podBootstrap.restart.mode)');

export const dryRun = 'they are only measured (podBootstrap.restart.mode: dryRun)';

/** In the namespace, and of the pod itself. */
export function hindranceOfOne(circumstances: Circumstances): Hindrance | undefined {
  const { trips, namespace, settings } = circumstances;
  const trip = trips.find((each) => each.namespace === namespace);
  const leftMs = trip === undefined ? 0 : msOf(settings.breakerPause) - trip.sinceMs;
  if (leftMs > 0) return hindered('breaker', 'a pod of the namespace came back as it was', leftMs);
  return startHindrance(circumstances);
}

/** Made anew, it would not start, or not be made. */
function startHindrance({ needs, trustBundle, hasPullSecret, refusedTo }: Circumstances) {
  // What is not served is not mounted either: the pod starts without it.
  if (needs.bundle !== undefined && trustBundle.kind === 'absent')
    return hindered('bundle-absent', 'the bundle is not there: no pod would start', 300_000);
  if (needs.pullSecret === undefined) return undefined;
  if (!hasPullSecret) {
    const why = 'the pull secret is not there: no image would be pulled';
    return hindered('pull-secret', why, 300_000);
  }
  if (refusedTo === undefined) return undefined;
  const why = `service account ${refusedTo} allows its own secrets alone (kubernetes.io/enforce-mountable-secrets), and does not list ${needs.pullSecret} in imagePullSecrets: no pod of it would be made`;
  return hindered('service-account', why, 300_000);
}

const longestSeconds = 300;

/** Without a time the period is soon enough. */
export function hindered(by: Hindering, why: string, ms?: number): Hindrance {
  const seconds = ms === undefined ? undefined : Math.max(1, Math.ceil(ms / 1_000));
  const afterSeconds = seconds === undefined ? undefined : Math.min(longestSeconds, seconds);
  return { kind: 'hindered', by, why, afterSeconds, isEverywhere: false };
}

export function turnToCome(ms: number): Hindrance {
  return hindered('turn', 'others go first', ms);
}

function everywhere(...given: Parameters<typeof hindered>): Hindrance {
  return { ...hindered(...given), isEverywhere: true };
}
