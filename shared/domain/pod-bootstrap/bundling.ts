import { below } from '../json-pointer.ts';
import type { Change } from '../verdict.ts';
import type { Configuration } from './configuration.ts';
import type { TrustBundleSettings } from './document.ts';
import { appended } from './edits.ts';
import type { BootPod, Started } from './pod.ts';
import type { Decided } from './precedence.ts';
import { type Mounting, planMounting, type TrustBundle, trustVariables } from './trust-bundle.ts';
import { ownWords, type Variable, type Wanted, wantedOf } from './variables.ts';

/** What the trust bundle asks of a pod. */
export type Bundling = {
  readonly changes: readonly Change[];
  /** For the containers that see it. */
  readonly variables: readonly Variable[];
  isSeenBy(container: Started): boolean;
  /** In one container at least. */
  readonly isMounted: boolean;
  readonly hash: string | undefined;
  readonly warnings: readonly string[];
};

type Known = {
  readonly decided: Decided;
  readonly trustBundle: TrustBundle;
  readonly started: readonly Started[];
};

export function bundle(
  pod: BootPod,
  { document }: Configuration,
  { decided, trustBundle, started }: Known,
): Bundling {
  const settings = document.clusterTrustBundle;
  const who = decided.on.get('add-cluster-trust-bundle');
  if (settings.name === '' || who === undefined) return none();
  if (trustBundle.kind === 'not-served') {
    return none('no trust bundle is mounted: the cluster serves no ClusterTrustBundles');
  }
  if (trustBundle.kind === 'not-projected') {
    return none(
      'no trust bundle is mounted: the API server keeps none in pods (feature gate ClusterTrustBundleProjection)',
    );
  }
  const mounting = planMounting(pod, started, settings);
  const variables = trustVariables(settings, who);
  const wanted = wantedOf(variables);
  const isMounted = mounting.seeing.size > 0;
  return {
    changes: isMounted ? mountChanges(pod, mounting, who) : [],
    variables,
    isSeenBy: (container) => mounting.seeing.has(container),
    isMounted,
    hash: isMounted && trustBundle.kind === 'present' ? trustBundle.hash : undefined,
    warnings: [
      ...mounting.warnings,
      ...(variables.length === 0 ? [] : [...mounting.seeing]).flatMap((each) => kept(each, wanted)),
      ...(isMounted && trustBundle.kind === 'absent' ? waiting(settings) : []),
    ],
  };
}

function none(...warnings: readonly string[]): Bundling {
  const nothing = { changes: [], variables: [], isMounted: false, hash: undefined };
  return { ...nothing, isSeenBy: () => false, warnings };
}

function mountChanges(
  { spec }: BootPod,
  { volume, hasVolume, mount, lacking }: Mounting,
  who: string,
): readonly Change[] {
  const why = `the trust bundle is mounted (${who})`;
  const volumes = hasVolume ? [] : [{ value: volume, why }];
  const mounts = [{ value: mount, why }];
  return [
    ...appended('/spec/volumes', spec.volumes.length, volumes),
    ...lacking.flatMap(({ place, volumeMounts }) =>
      appended(below(place, 'volumeMounts'), volumeMounts.length, mounts),
    ),
  ];
}

function kept(started: Started, wanted: Wanted): readonly string[] {
  const names = ownWords(started, wanted);
  if (names.length === 0) return [];
  return [
    `container ${started.name} keeps its own ${names.join(', ')}: it may not trust the bundle`,
  ];
}

/** As upstream: the pod is made, and the kubelet waits. */
function waiting({ name, optional }: TrustBundleSettings): readonly string[] {
  return optional ? [] : [`the trust bundle ${name} is not there yet: the pod starts when it is`];
}
