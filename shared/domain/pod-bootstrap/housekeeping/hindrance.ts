import type { TrustBundle } from '../trust-bundle.ts';
import { msOf } from './look-at-pods.ts';
import type { RestartSettings } from './restart-settings.ts';
import type { StartNeeds } from './start-needs.ts';

/** What is to be known before a pod is evicted. */
export type Circumstances = {
  readonly needs: StartNeeds;
  /** The name of the bundle that pods may be given. */
  readonly bundle: string | undefined;
  readonly trustBundle: TrustBundle;
  /** For how long it has been this one. */
  readonly bundleAgeMs: number | undefined;
  /** Since a pod came back as it was. */
  readonly sinceTripMs: number | undefined;
  readonly settings: Pick<RestartSettings, 'breakerPause' | 'bundleSettle'>;
  readonly hasPullSecret: boolean;
  readonly unhealthy: string | undefined;
};

export type Hindrance = { readonly why: string; readonly afterSeconds: number };

const longestSeconds = 300;

export function hindranceOf(circumstances: Circumstances): Hindrance | undefined {
  const { sinceTripMs, settings, unhealthy } = circumstances;
  const tripLeftMs = sinceTripMs === undefined ? 0 : msOf(settings.breakerPause) - sinceTripMs;
  if (tripLeftMs > 0) return hindered('a pod came back as it was', tripLeftMs);
  if (unhealthy !== undefined) return hindered(unhealthy, 10_000);
  return bundleHindrance(circumstances) ?? secretHindrance(circumstances);
}

function bundleHindrance({ needs, bundle, trustBundle, ...told }: Circumstances) {
  if (bundle === undefined) return undefined;
  if (trustBundle.kind === 'unknown') return hindered('the bundle could not be read', 10_000);
  if (trustBundle.kind === 'present') {
    // Until the kubelet, and all of our caches, have learnt of it.
    const leftMs = msOf(told.settings.bundleSettle) - (told.bundleAgeMs ?? 0);
    return leftMs > 0 ? hindered('the bundle has just changed', leftMs) : undefined;
  }
  // What is not served is not mounted either: the pod starts without it.
  const isWaitedFor = needs.bundle !== undefined && trustBundle.kind === 'absent';
  return isWaitedFor ? hindered('the bundle is not there: no pod would start', 60_000) : undefined;
}

function secretHindrance({ needs, hasPullSecret }: Circumstances) {
  if (needs.pullSecret === undefined || hasPullSecret) return undefined;
  return hindered('the pull secret is not there: no image would be pulled', 60_000);
}

function hindered(why: string, ms: number): Hindrance {
  return { why, afterSeconds: Math.min(longestSeconds, Math.max(1, Math.ceil(ms / 1_000))) };
}
