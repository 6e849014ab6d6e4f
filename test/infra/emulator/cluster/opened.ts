import { onTestFinished } from 'vitest';
import type { Stream } from '#events/forwarder/ports.ts';
import {
  type FakeCluster,
  type FakeClusterOptions,
  fakeCluster,
} from '#infra/emulator/cluster/fake-cluster.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { openStream } from '#shared/adapters/cluster/stream.ts';
import { configMaps } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Line, Watching } from '#shared/domain/watched.ts';
import { isBatch } from '#test/shared/adapters/cluster/stream/streaming-server.ts';

export type Opened = { readonly cluster: FakeCluster; readonly stream: Stream };

export async function opened(options: FakeClusterOptions = {}): Promise<Opened> {
  const cluster = await fakeCluster(options);
  const session = await openSession({ kind: 'kubeconfig-text', text: cluster.kubeconfig });
  onTestFinished(async () => {
    session.close();
    await cluster.close();
  });
  return { cluster, stream: openStream({ session }) };
}

export function map(name: string, data: Readonly<Record<string, string>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

export function put({ objects }: FakeCluster, ...names: readonly string[]): void {
  for (const name of names) objects.create(configMaps, map(name));
}

/** The next so many changes, or an error. */
export async function changesOf(
  watch: Watching,
  count: number,
): Promise<readonly (Line & { readonly kind: 'change' })[]> {
  const next = await watch.next();
  if (!isBatch(next)) throw new Error(`the watch ended: ${next.kind}`);
  const changes = next.filter((line) => line.kind === 'change');
  const missing = count - changes.length;
  return missing > 0 ? [...changes, ...(await changesOf(watch, missing))] : changes;
}
