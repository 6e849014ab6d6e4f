import { afterAll, describe, expect, it } from 'vitest';
import { emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { madeUpDigest } from '#infra/emulator/controllers/kubelet/image.ts';
import { openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { pods, secrets } from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { isConfigured, openImages } from '#infra/emulator/dev/images.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { openLog } from '#shared/runtime/log.ts';
import { basicFor, guarded, memoryRegistry } from '#test/support/registry/memory-registry.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { openHost } from '#test/support/registry/scripted-host.ts';
import { kitFor } from '../controllers/kit.ts';

const app = makeImage('app').manifest;
const memory = memoryRegistry();
memory.keep('team/app', app, '1');
memory.keep('locked/app', app, '1');
const alice = basicFor('alice', 'word');
const locked = guarded(memory.script, 'Basic realm="here"', (shown) => shown === alice);
const host = await openHost((request, response, heard) => {
  const script = heard.path.includes('/locked/') ? locked : memory.script;
  return script(request, response, heard);
});
const registry = `localhost:${host.port}`;

const loopback = { plainHttp: true, addresses: ['127.0.0.0/8', '::1/128'] };
// Nobody listens at port 1.
const silent = 'localhost:1';
const settings = settingsFixed({
  imageTrust: {
    hosts: [
      { host: registry, ...loopback },
      { host: silent, ...loopback },
    ],
  },
});
const said: string[] = [];
const images = openImages({ config: settings, say: (text) => said.push(text) });
const emulated = await emulatedCluster();
const login = { kind: 'kubeconfig-text', text: emulated.kubeconfig } as const;
const controllers = await openControllers({
  login,
  log: openLog({ level: 'error' }),
  kubelet: {
    nodes: [{ name: 'worker-1' }],
    timings: { createMs: 2, backoffMs: 5, graceMs: 2 },
    resolveImage: images.resolveImage,
  },
});
const cluster = await openCluster({ login });
afterAll(async () => {
  cluster.close();
  controllers.close();
  images.close();
  await Promise.all([emulated.close(), host.close()]);
});

const { fresh, make, merge, seen } = kitFor({ cluster, controllers, login });
const namespace = await fresh();
const failPull = 'emulator.gatehouse.dev/fail-pull';

const statusOf = ({ status }: Pod) => status?.containerStatuses?.[0];
const isRunning = (pod: Pod) => statusOf(pod)?.state.running !== undefined;
const isUnpulled = (pod: Pod) =>
  ['ErrImagePull', 'ImagePullBackOff'].includes(statusOf(pod)?.state.waiting?.reason ?? '');

function loginData(password: string) {
  const config = JSON.stringify({ auths: { [registry]: { username: 'alice', password } } });
  return { '.dockerconfigjson': Buffer.from(config).toString('base64') };
}

async function keptLogin(name: string, password: string) {
  const type = 'kubernetes.io/dockerconfigjson';
  await make(secrets, namespace, `login-${name}`, { type, data: loginData(password) });
  return { name: `login-${name}` };
}

async function started(
  name: string,
  image: string,
  ...[annotations = {}, imagePullSecrets = []]: [object?, (readonly object[])?]
): Promise<void> {
  const spec = { containers: [{ name: 'app', image }], imagePullSecrets };
  await make(pods, namespace, name, { metadata: { annotations }, spec });
}

async function imageIdOf(name: string, image: string): Promise<string | undefined> {
  await started(name, image);
  return statusOf(await seen(pods, namespace, name, isRunning))?.imageID;
}

describe('the images of pods', () => {
  it('have the digest that their registry has for them', async () => {
    const imageId = await imageIdOf('known', `${registry}/team/app:1`);
    expect(imageId).toBe(`${registry}/team/app@${app.digest}`);
  });

  it('are not pulled where their registry says that they are not there', async () => {
    await started('absent', `${registry}/team/app:none`);
    const pod = await seen(pods, namespace, 'absent', isUnpulled);
    expect(statusOf(pod)?.state.waiting?.message).toContain('answers 404');
  });

  it('have a made up digest where nothing is said of their registry, which is not asked', async () => {
    const image = 'localhost:2/team/app:1';
    expect(await imageIdOf('foreign', image)).toMatch(madeUpDigest(image));
    expect(said.filter((text) => text.startsWith('localhost:2:'))).toEqual([]);
  });

  it('have a made up digest where their registry does not answer, and it is told once', async () => {
    const image = `${silent}/team/app:1`;
    expect(await imageIdOf('silent', image)).toMatch(madeUpDigest(image));
    expect(await imageIdOf('silent-again', image)).toMatch(madeUpDigest(image));
    expect(said.filter((text) => text.includes('no-connection'))).toEqual([
      expect.stringContaining('digests of its images are made up'),
    ]);
  });

  it.each([
    ['nobody, by a tag', 'nobody', `${registry}/locked/app:1`, undefined, 'asks for a password'],
    ['nobody, pinned', 'pinned', `${registry}/locked/app@${app.digest}`, undefined, 'password'],
    ['somebody else', 'somebody', `${registry}/locked/app:1`, 'wrong', 'answers 401'],
  ])('are not pulled for %s where their registry asks who it is', async (...args) => {
    const [, name, image, password, why] = args;
    const pullSecrets = password === undefined ? [] : [await keptLogin(name, password)];
    await started(name, image, {}, pullSecrets);
    const pod = await seen(pods, namespace, name, (each) => {
      return statusOf(each)?.state.waiting?.reason === 'ImagePullBackOff';
    });
    const message = statusOf(pod)?.state.waiting?.message;
    expect(message).toContain('pull access denied');
    expect(message).toContain(why);
    expect(statusOf(pod)?.imageID).toBe('');
  });

  it('are pulled with the pull secrets of the pod, be they late', async () => {
    const image = `${registry}/locked/app:1`;
    const wrong = await keptLogin('wrong', 'other');
    await started('somebody-known', image, {}, [wrong, await keptLogin('right', 'word')]);
    const pod = await seen(pods, namespace, 'somebody-known', isRunning);
    expect(statusOf(pod)?.imageID).toBe(`${registry}/locked/app@${app.digest}`);

    await started('late', image, {}, [wrong]);
    await seen(pods, namespace, 'late', isUnpulled);
    await merge(secrets, namespace, wrong.name, { data: loginData('word') });
    await seen(pods, namespace, 'late', isRunning);
  });

  it('are pulled as nobody where a pull secret is not there', async () => {
    await started('nameless', `${registry}/team/app:1`, {}, [{ name: 'none' }]);
    await seen(pods, namespace, 'nameless', isRunning);
  });

  it('are looked for where the configuration says it now', async () => {
    const moved = makeImage('moved').manifest;
    memory.keep('hub/library/moved', moved, '1');
    const mirrored = settingsFixed({
      imageTrust: {
        hosts: [{ host: registry, ...loopback }],
        mirrors: [{ of: 'docker.io', at: `${registry}/hub` }],
      },
    }).current();
    let current = settings.current();
    const own = openImages({ config: { current: () => current }, say: () => {} });
    expect(await own.resolveImage('moved:1', async () => [])).toEqual({ kind: 'foreign' });
    current = mirrored;
    expect(await own.resolveImage('moved:1', async () => [])).toEqual({
      kind: 'digest',
      digest: moved.digest,
    });
    own.close();
  });

  it('cannot be pulled while an annotation of the pod says so', async () => {
    await started('told', `${registry}/team/app:1`, { [failPull]: '*/team/*' });
    await started('other', `${registry}/team/app:1`, { [failPull]: 'app:*' });
    await seen(pods, namespace, 'other', isRunning);
    const pod = await seen(pods, namespace, 'told', isUnpulled);
    expect(statusOf(pod)?.state.waiting?.message).toContain(failPull);
    await merge(pods, namespace, 'told', { metadata: { annotations: { [failPull]: null } } });
    await seen(pods, namespace, 'told', isRunning);
  });
});

it.each([
  ['registry-1.docker.io', [], true],
  ['docker.io', [], false],
  ['mirror.example', [{ of: 'docker.io', at: 'mirror.example/hub' }], true],
  ['mirror.example', [{ of: 'quay.io', at: 'mirror.example/hub' }], false],
])('images of docker.io, %s known, mirrors %j: asked for: %s', (known, mirrors, expected) => {
  const image = { registry: 'docker.io', repository: 'library/app' };
  expect(isConfigured(image, { hosts: [{ host: known }], mirrors })).toBe(expected);
});
