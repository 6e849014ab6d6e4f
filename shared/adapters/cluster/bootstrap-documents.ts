import { clusterTrustBundles, configMaps } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { bundleSeen } from '#shared/domain/pod-bootstrap/bundle-seen.ts';
import type { DocumentKeeper } from '#shared/domain/pod-bootstrap/document-keeper.ts';
import { bundleVersions, type TrustBundle } from '#shared/domain/pod-bootstrap/trust-bundle.ts';
import type { BootstrapDocuments, Clock, Cluster, SettingsPort } from '#shared/ports.ts';
import { within } from '../within.ts';
import { refusalOf } from './failure.ts';
import { freshCache } from './fresh-cache.ts';
import { nextRead } from './next-read.ts';

export type DocumentOptions = {
  readonly settings: SettingsPort;
  /** Shared by all that read in this process. */
  readonly keeper: DocumentKeeper;
  readonly clock?: Clock;
  readonly deadlineMs?: number;
};

const lifeMs = 5_000;
/** A cluster begins to serve a kind when it is upgraded. */
const unservedLifeMs = 60_000;

/**
 * The live cluster, as it is when it is asked: thousands of runs at once ask it twice. An outage is one: a run that went by
 * what was held before would be over, and nothing would wake it again.
 */
export function liveBootstrapDocuments(
  cluster: Cluster,
  { settings, keeper }: Pick<DocumentOptions, 'settings' | 'keeper'>,
): BootstrapDocuments {
  const mapAt = nextRead((place) => readMap(cluster, place));
  const bundleCalled = nextRead((name) => readBundle(cluster, name));
  const readLive = async () => {
    const { namespace, name, key } = settings.current().podBootstrap.configMap;
    return keeper.take(await mapAt(`${namespace}/${name}`), key);
  };
  return {
    current: async () => (await readLive()).document,
    problems: async () => keeper.held().problems,
    readLive,
    trustBundle: (name) => bundleCalled(name).catch(unknownWhereForbidden),
  };
}

/** The live cluster, read at most about every five seconds, and never for longer than a review can wait. */
export function openBootstrapDocuments(
  cluster: Cluster,
  { settings, keeper, clock, deadlineMs = 1_000 }: DocumentOptions,
): BootstrapDocuments {
  const bounded = { lifeMs: () => lifeMs, clock };
  const maps = freshCache<KubeObject | undefined>({
    ...bounded,
    load: (place) => within(deadlineMs, readMap(cluster, place)),
    maxEntries: 4,
  });
  const bundles = freshCache<TrustBundle>({
    ...bounded,
    load: (name) => within(deadlineMs, readBundle(cluster, name)),
    lifeMs: ({ kind }) => (kind === 'not-served' ? unservedLifeMs : lifeMs),
    maxEntries: 16,
  });
  const live = liveBootstrapDocuments(cluster, { settings, keeper });

  return {
    ...live,
    async current() {
      const { namespace, name, key } = settings.current().podBootstrap.configMap;
      try {
        return keeper.take(await maps.find(`${namespace}/${name}`), key).document;
      } catch (cause: unknown) {
        // An outage takes nothing back.
        const { document } = keeper.held();
        if (document === undefined) throw cause;
        return document;
      }
    },
    trustBundle: (name) => bundles.find(name).catch(() => unknown),
  };
}

const unknown = { kind: 'unknown' } as const;

function unknownWhereForbidden(cause: unknown): TrustBundle {
  if (refusalOf(cause)?.status !== 403) throw cause;
  return unknown;
}

function readMap(cluster: Cluster, place: string): Promise<KubeObject | undefined> {
  const [namespace, name = ''] = place.split('/');
  return cluster.find({ kind: configMaps, namespace, name });
}

/** By a list: of what is not there it says whether the kind is. */
async function readBundle(cluster: Cluster, name: string): Promise<TrustBundle> {
  for (const version of bundleVersions) {
    try {
      const kind = { ...clusterTrustBundles, version };
      for await (const object of cluster.list(kind, { fields: `metadata.name=${name}` })) {
        return bundleSeen(object) ?? unknown;
      }
      return { kind: 'absent' };
    } catch (cause: unknown) {
      if (refusalOf(cause)?.status !== 404) throw cause;
    }
  }
  return { kind: 'not-served' };
}
