import { isJsonObject, isList, type JsonObject } from '../json.ts';
import type { TrustBundleSettings } from './document.ts';
import type { BootPod, Started } from './pod.ts';
import type { Variable } from './variables.ts';

/** What is known of the bundle that the document names. */
export type TrustBundle =
  /** Nobody has looked yet. */
  | { readonly kind: 'unknown' }
  /** The cluster has no such kind: the API server would drop the source and refuse the pod. */
  | { readonly kind: 'not-served' }
  | { readonly kind: 'absent' }
  /** `hash` is the lower-case hex SHA-256 of its text. */
  | { readonly kind: 'present'; readonly hash: string };

/** Of `certificates.k8s.io`, the best first. */
export const bundleVersions = ['v1', 'v1beta1', 'v1alpha1'] as const;

export type Mounting = {
  readonly volume: JsonObject;
  /** Whether the pod has it already. */
  readonly hasVolume: boolean;
  /** The containers that see it, and what is missing there. */
  readonly into: ReadonlyMap<Started, readonly JsonObject[]>;
  readonly warnings: readonly string[];
};

/** What a user mounts is never replaced and never covered: a container that has something there goes without. */
export function planMounting(
  pod: BootPod,
  started: readonly Started[],
  settings: TrustBundleSettings,
): Mounting {
  const volume = volumeOf(settings);
  const named = pod.spec.volumes.filter(({ name }) => name === settings.volumeName);
  const nothing = { volume, hasVolume: false, into: new Map() };
  if (named.some((each) => !isOurs(each, settings))) {
    const why = `the pod has a volume ${settings.volumeName} of its own`;
    return { ...nothing, warnings: [`no trust bundle is mounted: ${why}`] };
  }
  const blocked = started.filter((each) => blockerIn(each, settings) !== undefined);
  return {
    volume,
    hasVolume: named.length > 0,
    into: new Map(
      started
        .filter((each) => !blocked.includes(each))
        .map((each) => [each, missingMounts(each, settings)]),
    ),
    warnings: blocked.map(
      (each) =>
        `no trust bundle is mounted in container ${each.name}: it mounts ${blockerIn(each, settings)} itself`,
    ),
  };
}

function volumeOf({ volumeName, name, certWritePath, optional }: TrustBundleSettings): JsonObject {
  const clusterTrustBundle = { name, path: certWritePath, ...(optional ? { optional } : {}) };
  return { name: volumeName, projected: { sources: [{ clusterTrustBundle }] } };
}

/** By its meaning: the API server has added what nobody states. */
function isOurs({ projected }: JsonObject, settings: TrustBundleSettings): boolean {
  const sources = isJsonObject(projected) ? projected['sources'] : undefined;
  if (!isList(sources) || sources.length !== 1) return false;
  const [source] = sources;
  const bundle = isJsonObject(source) ? source['clusterTrustBundle'] : undefined;
  return (
    isJsonObject(bundle) &&
    bundle['name'] === settings.name &&
    bundle['path'] === settings.certWritePath
  );
}

/** At the path, above or below: two mounts that lie in each other keep a container from starting, or hide one of them. */
function blockerIn({ volumeMounts }: Started, settings: TrustBundleSettings): string | undefined {
  const path = pathOf(settings);
  return volumeMounts.find((each) => !isMounted(each, settings) && overlaps(path, each.mountPath))
    ?.mountPath;
}

function missingMounts(
  { volumeMounts }: Started,
  settings: TrustBundleSettings,
): readonly JsonObject[] {
  if (volumeMounts.some((each) => isMounted(each, settings))) return [];
  return [{ name: settings.volumeName, readOnly: true, mountPath: pathOf(settings) }];
}

type Mount = Started['volumeMounts'][number];

function isMounted({ name, mountPath }: Mount, settings: TrustBundleSettings): boolean {
  return name === settings.volumeName && plain(mountPath) === plain(pathOf(settings));
}

function pathOf({ mode, volumeMountPath, environmentPath }: TrustBundleSettings): string {
  return mode === 'environment' ? environmentPath : volumeMountPath;
}

function overlaps(one: string, other: string): boolean {
  const [a, b] = [`${plain(one)}/`, `${plain(other)}/`];
  return a.startsWith(b) || b.startsWith(a);
}

function plain(path: string): string {
  return path.replace(/\/+/g, '/').replace(/\/$/, '');
}

/** For programs that look nowhere else. A container that names a file of its own keeps it. */
export function trustVariables(settings: TrustBundleSettings, who: string): readonly Variable[] {
  if (settings.mode === 'mount') return [];
  const value = `${plain(pathOf(settings))}/${settings.certWritePath}`;
  const why = `the trust bundle is named to programs (${who})`;
  return settings.variables.map((name) => ({ name, value, why, isOffered: true }));
}
