import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { freshNamespace } from './kube/fresh-namespace.ts';
import { type Kube, startKube } from './kube/start.ts';

let kube: Kube;
let cluster: OpenCluster;

/** A server of its own: one that serves later pages from its memory would keep them for minutes. */
beforeAll(async () => {
  kube = await startKube({ apiserverArgs: ['--feature-gates=ListFromCacheSnapshot=false'] });
  cluster = await openCluster({ login: { kind: 'kubeconfig', path: kube.kubeconfig } });
});

afterAll(async () => {
  cluster.close();
  await kube.stop();
});

it('loses its place in a list when etcd is compacted, and says so by name', async () => {
  const namespace = await freshNamespace(cluster);
  const create = (name: string) =>
    cluster.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
    });
  for (const name of ['a', 'b', 'c']) await create(name);

  const pages = cluster.list(configMaps, { namespace, pageSize: 1 })[Symbol.asyncIterator]();
  await pages.next();
  await create('d');
  await compactEtcd();
  await expect(pages.next()).rejects.toThrow('the list has to be read anew');
});

/** Up to the newest revision, through etcd's JSON gateway. */
async function compactEtcd(): Promise<void> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${kube.etcdUrl}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    return (await response.json()) as { readonly header: { readonly revision: string } };
  };
  const { header } = await post('/v3/kv/range', { key: Buffer.from('x').toString('base64') });
  await post('/v3/kv/compaction', { revision: header.revision, physical: true });
}
