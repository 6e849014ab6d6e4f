import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Json } from '#shared/domain/json.ts';
import { clusterTrustBundles, configMaps } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type DocumentKeeper, keepDocument } from '#shared/domain/pod-bootstrap/document-keeper.ts';
import type { Held } from '#shared/domain/pod-bootstrap/held-document.ts';
import type { Cluster } from '#shared/ports.ts';

const place = { namespace: 'kyma-system', name: 'rt-bootstrapper-config' };
export const mapAt = { kind: configMaps, ...place };
export const noSettings = settingsFixed();

/** The ConfigMap with a document that leads one registry to another. */
export function mapTo(target: string): KubeObject {
  return mapOf({ overrides: { 'a.example': target }, availableFeatures: [] });
}

export function mapOf(document: Json): KubeObject {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...place, uid: 'uid-of-the-map' },
    data: { 'rt-bootstrapper-config.json': text },
  };
}

export function bundleOf(name: string, trustBundle: string): KubeObject {
  const metadata = { name, uid: `uid-of-${name}` };
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'ClusterTrustBundle',
    metadata,
    spec: { trustBundle },
  };
}

/** SHA-256 of `abc`, of FIPS 180. */
export const hashOfAbc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

export async function put(cluster: Cluster, object: KubeObject): Promise<void> {
  const kind = object.kind === 'ConfigMap' ? configMaps : clusterTrustBundles;
  const { namespace, name = '' } = object.metadata;
  const found = await cluster.find({ kind, namespace, name });
  if (found === undefined) {
    await cluster.create(kind, object);
    return;
  }
  const metadata = { ...found.metadata, ...object.metadata, uid: found.metadata.uid ?? '' };
  await cluster.replace({ kind, namespace, name }, { ...object, metadata });
}

export function keeping(): { readonly keeper: DocumentKeeper; readonly told: readonly Held[] } {
  const told: Held[] = [];
  return { keeper: keepDocument((held) => told.push(held)), told };
}
