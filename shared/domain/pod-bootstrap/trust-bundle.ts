import { isJsonObject, isList, type JsonObject } from '../json.ts';
import type { TrustBundleSettings } from './document.ts';
import { absolute, plain } from './mount-path.ts';
import type { BootPod, Started } from './pod.ts';
import { type Variable, variable } from './variables.ts';

/** What is known of the bundle that the document names. */
export type TrustBundle =
  /** Nobody has looked yet. */
  | { readonly kind: 'unknown' }
  /** The cluster has no such kind: the API server would drop the source and refuse the pod. */
  | { readonly kind: 'not-served' }
  /** The cluster has the kind, and its API server drops the source: the pod would have an empty volume over what its image brings. */
  | { readonly kind: 'not-projected' }
  | { readonly kind: 'absent' }
  /** `hash` is the lower-case hex SHA-256 of its text. */
  | { readonly kind: 'present'; readonly hash: string };

/** Of `certificates.k8s.io`, the best first. */
export const bundleVersions = ['v1', 'v1beta1', 'v1alpha1'] as const;

export type Mounting = {
  readonly volume: JsonObject;
  /** Whether the pod has it already. */
  readonly hasVolume: boolean;
  readonly mount: JsonObject;
  /** The containers that see it. */
  readonly seeing: ReadonlySet<Started>;
  /** Those of them that have no such mount yet. */
  readonly lacking: readonly Started[];
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
  const mount = mountOf(settings);
  if (named.some((each) => !isOurs(each, settings))) {
    const why = `the pod has a volume ${settings.volumeName} of its own`;
    const nowhere = { hasVolume: false, seeing: new Set<Started>(), lacking: [] };
    const warnings = [`no trust bundle is mounted: ${why}`];
    return { volume, mount: mount.item, ...nowhere, warnings };
  }
  const [seeing, blocked] = parted(started, mount);
  return {
    volume,
    mount: mount.item,
    hasVolume: named.length > 0,
    seeing: new Set(seeing),
    lacking: seeing.filter((each) => !hasMount(each, mount)),
    warnings: blocked.map(
      (each) =>
        `no trust bundle is mounted in container ${each.name}: it mounts ${blockerIn(each, mount)} itself`,
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

type Mount = Started['volumeMounts'][number];

/** One for all containers. */
type OwnMount = { readonly item: JsonObject & Mount; readonly path: string };

function mountOf(settings: TrustBundleSettings): OwnMount {
  const mountPath = absolute(pathOf(settings));
  return {
    item: { name: settings.volumeName, readOnly: true, mountPath },
    path: plain(mountPath),
  };
}

function parted(started: readonly Started[], mount: OwnMount) {
  const seeing: Started[] = [];
  const blocked: Started[] = [];
  for (const each of started) {
    (blockerIn(each, mount) === undefined ? seeing : blocked).push(each);
  }
  return [seeing, blocked] as const;
}

/**
 * At the path, above or below: two mounts that lie in each other keep a container from starting, or hide one of them. A
 * pod with a mount where it has a device the API server refuses.
 */
function blockerIn({ volumeMounts, volumeDevices }: Started, own: OwnMount): string | undefined {
  for (const each of volumeMounts) {
    if (overlaps(own.path, each.mountPath) && !isMounted(each, own)) return each.mountPath;
  }
  for (const { devicePath } of volumeDevices) {
    if (overlaps(own.path, devicePath)) return devicePath;
  }
  return undefined;
}

function hasMount({ volumeMounts }: Started, own: OwnMount): boolean {
  for (const each of volumeMounts) if (isMounted(each, own)) return true;
  return false;
}

function isMounted({ name, mountPath }: Mount, { item, path }: OwnMount): boolean {
  return name === item.name && plain(mountPath) === path;
}

function pathOf({ mode, volumeMountPath, environmentPath }: TrustBundleSettings): string {
  return mode === 'environment' ? environmentPath : volumeMountPath;
}

/** The first one is plain. */
function overlaps(one: string, stated: string): boolean {
  const other = plain(stated);
  return isIn(one, other) || isIn(other, one);
}

function isIn(path: string, above: string): boolean {
  return path.startsWith(above) && (path.length === above.length || path[above.length] === '/');
}

/** For programs that look nowhere else. A container that names a file of its own keeps it. */
export function trustVariables(settings: TrustBundleSettings, who: string): readonly Variable[] {
  if (settings.mode === 'mount') return [];
  const value = `${plain(pathOf(settings))}/${settings.certWritePath}`;
  const why = `the trust bundle is named to programs (${who})`;
  return settings.variables.map((name) => variable(name, value, { why, isOffered: true }));
}
