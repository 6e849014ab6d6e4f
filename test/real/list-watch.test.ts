import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, inject } from 'vitest';
import { openSession, type Session } from '#shared/adapters/cluster/login.ts';
import { compactionContract } from '#test/contracts/list-watch/compacted.ts';
import { deadGroupContract } from '#test/contracts/list-watch/dead.ts';
import { placeAt, type Sessions, written } from '#test/contracts/list-watch/place.ts';
import { listWatchContract } from '#test/contracts/list-watch.ts';
import { type Kube, type KubeFacts, startKube } from './kube/start.ts';

async function sessionsOf({ kubeconfigToken, token }: KubeFacts): Promise<Sessions> {
  const text = readFileSync(kubeconfigToken, 'utf8');
  return {
    shortSeconds: 1,
    session: await openSession({ kind: 'kubeconfig-text', text }),
    stranger: await openSession({ kind: 'kubeconfig-text', text: text.replace(token, 'nobody') }),
  };
}

const opened: Session[] = [];
afterAll(() => {
  for (const session of opened) session.close();
});

const shared = await sessionsOf(inject('kube'));
opened.push(shared.session, shared.stranger);
listWatchContract('a real kube-apiserver', () => placeAt(shared));

/** An ExternalName needs no kube-proxy, and behind port 1 nobody listens. */
deadGroupContract('a real kube-apiserver', {
  open: () => placeAt(shared),
  async kill({ ask, namespace }, { group, version }) {
    const post = async (path: string, body: object) =>
      written(await ask({ what: 'make', method: 'POST', path, body }));
    await post(`/api/v1/namespaces/${namespace}/services`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'dead' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await post('/apis/apiregistration.k8s.io/v1/apiservices', {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { namespace, name: 'dead', port: 1 },
      },
    });
  },
});

/** A server of its own: one that serves later pages from its memory would keep them for minutes. */
let kube: Kube;
let own: Sessions;

beforeAll(async () => {
  kube = await startKube({ apiserverArgs: ['--feature-gates=ListFromCacheSnapshot=false'] });
  own = await sessionsOf(kube);
  opened.push(own.session, own.stranger);
});
afterAll(() => kube.stop());

compactionContract('a real kube-apiserver', { open: () => placeAt(own), compact: compactEtcd });

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
