import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import {
  configMaps,
  type Kind,
  mutatingWebhooks,
  namespaces,
  nodes,
  pods,
} from '#shared/domain/kind.ts';
import { type DevProcess, failedDev, runDev, startDev } from '../support/dev-process.ts';
import { type Kube, startKube } from './kube/start.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-against-'));
const state = join(directory, 'state');
const config = join(directory, 'gatehouse.yaml');
const namespace = 'gatehouse-system';
const managed = { 'operator.kyma-project.io/managed-by': 'kyma' };
const clusterRoles: Kind = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  resource: 'clusterroles',
  namespaced: false,
};

let kube: Kube;
let cluster: OpenCluster;
let dev: DevProcess | undefined;

const args = (...more: readonly string[]) => [
  ...['--config', config, '--against', kube.kubeconfig],
  ...more,
];
/** Another machine's, as far as we can tell: by an address that is not loopback. */
function elsewhere(): { readonly host: string; readonly kubeconfig: string } {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const host = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (host === undefined) throw new Error('this machine has no address but loopback');
  const config = parse(readFileSync(kube.kubeconfig, 'utf8'));
  for (const { cluster: there } of config.clusters) {
    const server = Object.assign(new URL(there.server), { hostname: host });
    // Its certificate does not know the address.
    Object.assign(there, { server: server.origin, 'tls-server-name': 'localhost' });
  }
  const kubeconfig = join(directory, 'elsewhere');
  writeFileSync(kubeconfig, stringify(config));
  return { host, kubeconfig };
}

const start = (...more: readonly string[]) =>
  startDev({ state, kubeconfig: kube.kubeconfig, args: args('--yes', ...more) });

/** What of ours is there; a namespace that ends is none. */
async function ours(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of [mutatingWebhooks, clusterRoles, namespaces]) {
    for await (const { metadata } of cluster.list(kind)) {
      const isGoing = metadata['deletionTimestamp'] !== undefined;
      if (metadata.name?.startsWith('gatehouse') && !isGoing) found.push(metadata.name);
    }
  }
  return found;
}

async function made(name: string) {
  const metadata = { name, namespace: 'team' };
  const spec = { containers: [{ name: 'app', image: 'nginx' }] };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
  return cluster.create(pods, object);
}

beforeAll(async () => {
  kube = await startKube({
    controllerManager: true,
    apiserverArgs: ['--bind-address=0.0.0.0'],
  });
  cluster = await openCluster({ login: { kind: 'kubeconfig', path: kube.kubeconfig } });
  writeFileSync(config, 'nodeAffinity: { pools: [cpu-worker-0] }\n');
  const labels = { 'worker.gardener.cloud/pool': 'cpu-worker-0' };
  await cluster.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels } });
  const metadata = { name: 'team', labels: managed };
  await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
});

afterAll(async () => {
  await dev?.end('SIGKILL');
  cluster.close();
  await kube.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('gatehouse dev in a cluster that is not its own', () => {
  it('is asked about its pods, and leaves nothing behind however often it is told to stop', async () => {
    dev = await start();
    expect(dev.complaints()).toContain('it registers webhooks');
    await expect
      .poll(async () => JSON.stringify(await made(`web-${Date.now()}`)), { timeout: 20_000 })
      .toContain('nodeAffinity');
    expect(await dev.end('SIGINT', 2)).toBe(0);
    expect(await ours()).toEqual([]);
  }, 120_000);

  it('is called by an address that is not loopback, where it is told one, and by nobody where not', async () => {
    const { host, kubeconfig } = elsewhere();
    const there = ['--config', config, '--against', kubeconfig, '--yes'];
    dev = await startDev({ state, kubeconfig, args: [...there, '--webhook-host', host] });
    await expect
      .poll(async () => JSON.stringify(await made(`far-${Date.now()}`)), { timeout: 20_000 })
      .toContain('nodeAffinity');
    expect(await dev.end()).toBe(0);

    dev = await startDev({ state, kubeconfig, args: there });
    expect(dev.complaints()).toContain('it registers no webhooks: nobody has said how');
    expect(await ours()).not.toContain('gatehouse');
    expect(await dev.end()).toBe(0);
    expect(await ours()).toEqual([]);
  }, 180_000);

  it('runs what happens there, and what was saved meanwhile as it is now', async () => {
    const functions = join(directory, 'functions');
    const greeting = (why: string) => `
      import { defineReconcile, kinds } from 'gatehouse/define';
      export default defineReconcile({
        name: 'greet', capability: 'greetings',
        trigger: { watch: { of: kinds.configMaps, namespace: 'team' } },
        uses: [], deadlineMs: 1_000,
        handler: () => ({ kind: 'give-up', why: '${why}' }),
      });`;
    const save = (why: string) => writeFileSync(join(functions, 'greet.ts'), greeting(why));
    mkdirSync(functions);
    save('hello');
    dev = await start('--functions', functions);
    const happens = (name: string) => {
      const metadata = { name, namespace: 'team' };
      return cluster.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    };
    const ran = (why: string) =>
      dev?.heard(
        (line) => line.kind === 'run' && line['function'] === 'greet' && line['why'] === why,
      );
    const seen = dev.heard(
      ({ kind, object }) => kind === 'event' && Object(object).name === 'first',
    );
    const first = ran('hello');
    await happens('first');
    expect(await seen).toMatchObject({ change: 'added' });
    await first;

    const read = dev.heard(({ kind }) => kind === 'reload');
    save('hello again');
    expect(await read).toMatchObject({ reload: { kind: 'reloaded' } });
    const second = ran('hello again');
    await happens('second');
    await second;
    expect(await dev.end()).toBe(0);
    expect(await ours()).toEqual([]);
  }, 120_000);

  it('finds at its next start what a killed one has left, and may be told only to remove it', async () => {
    dev = await start();
    await dev.end('SIGKILL');
    expect(await ours()).toContain(namespace);
    dev = await start();
    expect(dev.lines).toContainEqual({
      kind: 'note',
      text: expect.stringContaining('removed what the last time was left there'),
    });
    expect(await failedDev({ state, args: args('--clean') })).toContain('it is still running');
    await dev.end('SIGKILL');
    const cleaned = await runDev({ state, args: args('--clean') });
    expect(cleaned).toMatchObject({ code: 0, printed: expect.stringContaining(namespace) });
    expect(await ours()).toEqual([]);
    expect(await runDev({ state, args: args('--clean') })).toMatchObject({
      printed: 'nothing of ours is there\n',
    });
  }, 180_000);

  it('changes nothing where a Gatehouse is, or another one works', async () => {
    const metadata = { name: 'gatehouse' };
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const object = { apiVersion, kind: 'MutatingWebhookConfiguration', metadata };
    await cluster.create(mutatingWebhooks, object);
    expect(await failedDev({ state, args: args('--yes') })).toMatch(
      /^1 .*a Gatehouse is installed in this cluster already\n {2}where: Mutating.* gatehouse is not ours/s,
    );
    expect(await ours()).toEqual(['gatehouse']);
    await cluster.delete({ kind: mutatingWebhooks, name: 'gatehouse' });

    dev = await start();
    const other = { state: join(directory, 'other'), args: args('--yes') };
    expect(await failedDev(other)).toContain('another gatehouse dev works against this cluster');
    expect(await ours()).toContain('gatehouse');
    expect(await dev.end()).toBe(0);
  }, 180_000);
});
