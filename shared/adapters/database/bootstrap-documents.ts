import type { Sql } from 'postgres';
import { clusterTrustBundles, configMaps } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { bundleSeen } from '#shared/domain/pod-bootstrap/bundle-seen.ts';
import type { DocumentKeeper } from '#shared/domain/pod-bootstrap/document-keeper.ts';
import { sourceIn } from '#shared/domain/pod-bootstrap/held-document.ts';
import type { TrustBundle } from '#shared/domain/pod-bootstrap/trust-bundle.ts';
import { scopeName } from '#shared/domain/watched.ts';
import type { BootstrapDocuments, Mirror, SettingsPort } from '#shared/ports.ts';
import { type BoundedReads, boundedReads } from './bounded.ts';
import { byVersion, type Seen } from './by-version.ts';
import type { FollowedReads } from './followed-reads.ts';
import type { Heard } from './heard.ts';
import { heardCache } from './heard-cache.ts';

type Sources = {
  readonly mirror: Mirror;
  readonly heard: Heard;
  readonly settings: SettingsPort;
  readonly keeper: DocumentKeeper;
  /** Asked about what the mirror has not, and while nobody can say how old the mirror is. */
  readonly live: BootstrapDocuments;
  readonly reads?: BoundedReads;
};

/** Absence too is remembered until a notice: a cluster without a document must not ask the database with every pod. */

/** From the mirror and this process's memory, as old as a heartbeat at most; from the cluster where that cannot be promised. */
export function bootstrapDocumentsOn({
  mirror,
  heard,
  settings,
  keeper,
  live,
  reads = boundedReads(),
}: Sources): BootstrapDocuments {
  const maps = heardCache(
    (place: string) =>
      reads(async (): Promise<Seen<KubeObject>> => {
        const [namespace = '', name = ''] = place.split('/');
        return { value: (await mirror.find(configMaps, { namespace, name })).object };
      }),
    4,
  );
  const bundles = heardCache(
    (name: string) =>
      reads(async (): Promise<Seen<TrustBundle>> => {
        const { object } = await mirror.find(clusterTrustBundles, { name });
        return { value: bundleSeen(object) };
      }),
    16,
  );
  heard.onChange(configMaps, (names) => maps.drop(names));
  heard.onChange(clusterTrustBundles, (names) => bundles.drop(names?.map(nameIn)));

  return {
    async current() {
      const { namespace, name, key } = settings.current().podBootstrap.configMap;
      const isStale = heard.isStale(configMaps, documentScopes({ namespace, name }));
      const seen = isStale ? undefined : (await maps.find(`${namespace}/${name}`))?.value;
      // What the mirror has not, or has in part, the cluster may have.
      if (sourceIn(seen, key) === undefined) return live.current();
      return keeper.take(seen, key).document;
    },
    problems: async () => keeper.held().problems,
    readLive: () => live.readLive(),
    async trustBundle(name) {
      const isStale = heard.isStale(clusterTrustBundles);
      const seen = isStale ? undefined : (await bundles.find(name))?.value;
      return seen ?? live.trustBundle(name);
    },
  };
}

type Unremembered = Pick<Sources, 'settings' | 'keeper' | 'live'> & {
  readonly sql: () => Promise<Sql>;
  readonly cluster: string;
  readonly reads: FollowedReads;
};

/** From the mirror as it is now, so that nobody reads of before what woke him; from the cluster what that cannot tell. */
export function mirroredDocuments(given: Unremembered): BootstrapDocuments {
  const { settings, keeper, live, reads } = given;
  const mapAt = byVersion({ ...given, kind: configMaps, make: (object) => object });
  const make = (object: KubeObject) => ({ bundle: bundleSeen(object) });
  const bundleAt = byVersion({ ...given, kind: clusterTrustBundles, make });
  return {
    async current() {
      const { namespace, name, key } = settings.current().podBootstrap.configMap;
      const of = { kind: configMaps, enough: documentScopes({ namespace, name }) };
      const seen = await reads(of, () => mapAt({ namespace, name }));
      // That it is not there counts: for each of ten thousand pods the cluster would be asked what it has not.
      const isTold = seen !== undefined && !isPartial(seen.value);
      return isTold ? keeper.take(seen.value, key).document : live.current();
    },
    problems: async () => keeper.held().problems,
    readLive: () => live.readLive(),
    async trustBundle(name) {
      const seen = await reads({ kind: clusterTrustBundles }, () => bundleAt({ name }));
      if (seen === undefined) return live.trustBundle(name);
      if (seen.value === undefined) return { kind: 'absent' };
      return seen.value.bundle ?? live.trustBundle(name);
    },
  };
}

/** Of what is followed as metadata the cluster has the rest. One that has no such key is whole. */
function isPartial(seen: KubeObject | undefined): boolean {
  return seen !== undefined && seen['data'] === undefined && seen['binaryData'] === undefined;
}

type Place = { readonly namespace: string; readonly name: string };

/** The forwarder follows this one, or what covers it. */
export function documentScopes({ namespace, name }: Place): readonly string[] {
  const fields = `metadata.name=${name}`;
  return [
    scopeName({ kind: configMaps, namespace, fields }),
    scopeName({ kind: configMaps, namespace }),
  ];
}

/** A notice says `namespace/name`, and a bundle is in none. */
function nameIn(place: string): string {
  return place.slice(place.indexOf('/') + 1);
}
