import { afterAll } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { compactionContract } from '#test/contracts/list-watch/compacted.ts';
import { deadGroupContract } from '#test/contracts/list-watch/dead.ts';
import { placeAt, written } from '#test/contracts/list-watch/place.ts';
import { listWatchContract } from '#test/contracts/list-watch.ts';

const cluster = await emulatedCluster({ bookmarkMs: 100 });
const token = JSON.parse(cluster.tokenKubeconfig).users[0].user.token as string;
const sessions = {
  shortSeconds: 0.1,
  session: await openSession({ kind: 'kubeconfig-text', text: cluster.tokenKubeconfig }),
  stranger: await openSession({
    kind: 'kubeconfig-text',
    text: cluster.tokenKubeconfig.replace(token, 'nobody'),
  }),
};
const open = () => placeAt(sessions);

afterAll(async () => {
  sessions.session.close();
  sessions.stranger.close();
  await cluster.close();
});

listWatchContract('the emulated cluster', open);
compactionContract('the emulated cluster', { open, compact: async () => cluster.past.compact() });

/** As on the real server: an ExternalName, and behind port 1 nobody listens. */
deadGroupContract('the emulated cluster', {
  open,
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
        ...{ group, version, groupPriorityMinimum: 100, versionPriority: 100 },
        insecureSkipTLSVerify: true,
        service: { namespace, name: 'dead', port: 1 },
      },
    });
  },
});
