import { afterAll, beforeAll, expect, it } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { pods, secrets } from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { openImages } from '#infra/emulator/dev/images.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { openLog } from '#shared/runtime/log.ts';
import { kitFor } from '#test/infra/emulator/controllers/kit.ts';
import {
  type DebianRegistry,
  startDebianRegistry,
} from '#test/support/registry/debian-registry.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { loopback } from '#test/support/registry/outside-world.ts';
import { pushImage } from '#test/support/registry/push.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';

const app = makeImage('app');
const repository = 'team/app';
const undo: (() => unknown)[] = [];
let registry: DebianRegistry;

beforeAll(async () => {
  registry = await startDebianRegistry({ kind: 'password' });
  undo.push(registry.stop);
  const authorization = basicFor('alice', 'wörd:x');
  await pushImage({ ...registry, repository, authorization }, app, '1.0');
});
afterAll(async () => {
  for (const each of undo.toReversed()) await each();
});

async function staged() {
  const emulated = await emulatedCluster();
  const own = {
    ...{ host: registry.host, plainHttp: false, ca: registry.ca },
    addresses: [...loopback, '::1'],
  };
  const images = openImages({
    config: settingsFixed({ imageTrust: { hosts: [own] } }),
    say: () => {},
  });
  const login = { kind: 'kubeconfig-text', text: emulated.kubeconfig } as const;
  const { resolveImage } = images;
  const timings = { createMs: 2, backoffMs: 5, graceMs: 2 };
  const kubelet = { nodes: [{ name: 'worker-1' }], timings, resolveImage };
  const controllers = await openControllers({ login, log: openLog({ level: 'error' }), kubelet });
  const cluster = await openCluster({ login });
  undo.push(emulated.close, images.close, controllers.close, cluster.close);
  return kitFor({ cluster, controllers, login });
}

const statusOf = ({ status }: Pod) => status?.containerStatuses?.[0];
const waitsFor = (pod: Pod) => statusOf(pod)?.state.waiting?.reason;

it("lets a pod run by its pull secret alone where Debian's docker-registry asks for a password", async () => {
  const { fresh, make, merge, seen } = await staged();
  const namespace = await fresh();
  const image = `${registry.host}/${repository}:1.0`;
  const dataOf = (password: string) => {
    const auth = Buffer.from(`alice:${password}`).toString('base64');
    const config = JSON.stringify({ auths: { [registry.host]: { auth } } });
    return { '.dockerconfigjson': Buffer.from(config).toString('base64') };
  };
  const type = 'kubernetes.io/dockerconfigjson';
  await make(secrets, namespace, 'login', { type, data: dataOf('wrong') });
  const containers = [{ name: 'app', image }];
  await make(pods, namespace, 'nobody', { spec: { containers } });
  const imagePullSecrets = [{ name: 'login' }];
  await make(pods, namespace, 'alice', { spec: { containers, imagePullSecrets } });

  for (const name of ['nobody', 'alice']) {
    const pod = await seen(pods, namespace, name, (each) => waitsFor(each) === 'ImagePullBackOff');
    expect(statusOf(pod)?.state.waiting?.message).toContain('pull access denied');
  }
  await merge(secrets, namespace, 'login', { data: dataOf('wörd:x') });
  const pod = await seen(pods, namespace, 'alice', (each) => statusOf(each)?.ready === true);
  expect(statusOf(pod)?.imageID).toBe(`${registry.host}/${repository}@${app.manifest.digest}`);
});
