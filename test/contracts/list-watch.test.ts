import { afterAll } from 'vitest';
import { fakeCluster } from '#infra/emulator/cluster/fake-cluster.ts';
import { openSession } from '#shared/adapters/cluster/login.ts';
import { compactionContract } from './list-watch/compacted.ts';
import { deadGroupContract } from './list-watch/dead.ts';
import { placeAt } from './list-watch/place.ts';
import { listWatchContract } from './list-watch.ts';

const cluster = await fakeCluster({ bookmarkMs: 100 });
cluster.faults.requireToken('admin-token');
const sessions = {
  shortSeconds: 0.1,
  session: await openSession({ kind: 'kubeconfig-text', text: cluster.kubeconfig }),
  stranger: await openSession({
    kind: 'kubeconfig-text',
    text: cluster.kubeconfig.replace('admin-token', 'nobody'),
  }),
};
const open = () => placeAt(sessions);

afterAll(async () => {
  sessions.session.close();
  sessions.stranger.close();
  await cluster.close();
});

listWatchContract('the fake cluster', open);
compactionContract('the fake cluster', { open, compact: async () => cluster.past.compact() });
deadGroupContract('the fake cluster', {
  open,
  async kill(_, { version, ...kind }) {
    cluster.serve({ ...kind, versions: [version], isCustom: true });
    cluster.faults.deadGroup(kind.group);
  },
});
