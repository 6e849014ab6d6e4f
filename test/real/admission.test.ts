import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { labels, manager, paths, webhookNames } from '#shared/domain/installation.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { mutatingWebhooks, namespaces, nodes, pods } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type Started, startGatehouse } from '../support/gatehouse-process.ts';
import { freshNamespace } from './kube/fresh-namespace.ts';

const managed = { 'operator.kyma-project.io/managed-by': 'kyma' };
const kube = inject('kube');
const soon = { timeout: 15_000, interval: 100 };

let cluster: OpenCluster;
let gatehouse: Started;
let installation: string;
let team: string;

const settings = () => ({
  server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
  installation: { namespace: installation },
  certificates: { dnsNames: ['localhost'], settle: '1s' },
  nodeAffinity: { pools: ['cpu-worker-0'] },
});

beforeAll(async () => {
  cluster = await openCluster({ login: { kind: 'kubeconfig', path: kube.kubeconfig } });
  installation = await freshNamespace(cluster);
  team = await freshNamespace(cluster, managed);
  gatehouse = await startGatehouse({ settings: settings(), kubeconfig: kube.kubeconfig });
  await registerWebhook(gatehouse.port);
  await caBundle();
});

afterAll(async () => {
  await gatehouse.stop();
  await cluster.delete({ kind: mutatingWebhooks, name: manager });
  await cluster.delete({ kind: nodes, name: 'worker-1' });
  cluster.close();
});

/** As `render` has it, but for the address: without kube-proxy no Service leads anywhere. */
async function registerWebhook(port: number): Promise<void> {
  await cluster.create(mutatingWebhooks, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: manager, labels: { [labels.managedBy]: manager } },
    webhooks: [
      {
        name: webhookNames.fusedPods,
        clientConfig: { url: `https://localhost:${port}${paths.fusedPods}` },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['pods'],
          },
        ],
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
        // Fail, unlike the product's: what does not answer must fail these tests.
        failurePolicy: 'Fail',
        reinvocationPolicy: 'IfNeeded',
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [installation] },
          ],
        },
      },
    ],
  });
}

/** Until the API server knows it too: a call tells. */
async function caBundle(): Promise<string> {
  return vi.waitFor(async () => {
    const found = await cluster.find({ kind: mutatingWebhooks, name: manager });
    const [webhook] = (found?.['webhooks'] ?? []) as readonly JsonObject[];
    const config = webhook?.['clientConfig'];
    const bundle = isJsonObject(config) ? config['caBundle'] : undefined;
    expect(String(bundle ?? '').length).toBeGreaterThan(10);
    await createPod(team, { name: 'probe' });
    return String(bundle);
  }, soon);
}

async function createPod(namespace: string, stated: { name: string; spec?: JsonObject }) {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: stated.name, namespace },
    spec: { containers: [{ name: 'pause', image: 'registry.test/pause:3' }], ...stated.spec },
  };
  const write = await cluster.create(pods, pod, { dryRun: true });
  if (write.kind !== 'written')
    throw new Error(`the pod was not created: ${JSON.stringify(write)}`);
  return write.object;
}

function affinityOf(pod: KubeObject): unknown {
  const spec = pod['spec'];
  return isJsonObject(spec) ? spec['affinity'] : undefined;
}

const node: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-1', labels: { 'worker.gardener.cloud/pool': 'cpu-worker-0' } },
};

const preference = {
  nodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 10,
        preference: {
          matchExpressions: [
            { key: 'worker.gardener.cloud/pool', operator: 'In', values: ['cpu-worker-0'] },
          ],
        },
      },
    ],
  },
};

function handshakes(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('secureConnect', () => socket.destroy());
  });
}

/** Everything in the installation's own namespace, and nothing of nodes. */
async function tokenWithoutNodes(): Promise<string> {
  const run = (...args: readonly string[]) =>
    execFileSync(kube.kubectl, ['--kubeconfig', kube.kubeconfig, '-n', installation, ...args], {
      encoding: 'utf8',
    });
  const account = `--serviceaccount=${installation}:nodeless`;
  run('create', 'serviceaccount', 'nodeless');
  run('create', 'role', 'own', '--verb=*', '--resource=secrets,leases.coordination.k8s.io');
  run('create', 'rolebinding', 'nodeless', '--role=own', account);
  return run('create', 'token', 'nodeless').trim();
}

function kubeconfigWith(token: string): string {
  const config = parse(readFileSync(kube.kubeconfig, 'utf8'));
  const path = join(mkdtempSync(join(tmpdir(), 'kubeconfig-')), 'kubeconfig');
  const users = config.users.map(({ name }: { name: string }) => ({ name, user: { token } }));
  writeFileSync(path, stringify({ ...config, users }));
  return path;
}

async function get(path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${gatehouse.probePort}${path}`);
}

describe('node affinity, called by a real API server', () => {
  it('leaves pods alone while the pool has no node, follows it when it gets one, and when it goes', async () => {
    expect(affinityOf(await createPod(team, { name: 'before' }))).toBeUndefined();

    await cluster.create(nodes, node);
    await vi.waitFor(
      async () => expect(affinityOf(await createPod(team, { name: 'after' }))).toEqual(preference),
      soon,
    );
    await cluster.delete({ kind: nodes, name: 'worker-1' });
    await vi.waitFor(
      async () => expect(affinityOf(await createPod(team, { name: 'gone' }))).toBeUndefined(),
      soon,
    );
    await cluster.create(nodes, node);
    await vi.waitFor(
      async () => expect(affinityOf(await createPod(team, { name: 'again' }))).toEqual(preference),
      soon,
    );
  });

  it('leaves a namespace alone that is not managed, and kube-system even if it is', async () => {
    const other = await freshNamespace(cluster);
    expect(affinityOf(await createPod(other, { name: 'pause' }))).toBeUndefined();

    const system = { kind: namespaces, name: 'kube-system' };
    await cluster.patch(system, { type: 'merge', body: { metadata: { labels: managed } } });
    await vi.waitFor(async () => {
      expect(affinityOf(await createPod('kube-system', { name: 'pause' }))).toBeUndefined();
    });
  });

  it('keeps what the pod says itself', async () => {
    const spec = { nodeSelector: { 'worker.gardener.cloud/pool': 'theirs' } };
    expect(affinityOf(await createPod(team, { name: 'pinned', spec }))).toBeUndefined();
  });

  it('sees a namespace that becomes managed within two seconds', async () => {
    const name = await freshNamespace(cluster);
    expect(affinityOf(await createPod(name, { name: 'a' }))).toBeUndefined();
    await cluster.patch(
      { kind: namespaces, name },
      { type: 'merge', body: { metadata: { labels: managed } } },
    );
    await vi.waitFor(
      async () => expect(affinityOf(await createPod(name, { name: 'b' }))).toEqual(preference),
      { timeout: 2_000, interval: 100 },
    );
  });
});

describe('the serving process', () => {
  it('is ready, and shows metrics of its own and of Node', async () => {
    await vi.waitFor(async () => expect((await get('/readyz')).status).toBe(200), soon);
    expect((await get('/healthz')).status).toBe(200);

    await vi.waitFor(async () => {
      const metrics = await (await get('/metrics')).text();
      expect(metrics).toContain('nodejs_eventloop_lag_seconds');
      expect(metrics).toMatch(
        /gatehouse_reviews_total\{function="prefer-pool",outcome="patch"\} [1-9]/,
      );
      expect(metrics).toMatch(/gatehouse_condition\{condition="ca-bundle"\} 1/);
      expect(metrics).toMatch(/gatehouse_certificate_expiry_seconds [1-9]/);
      expect(metrics).toMatch(/gatehouse_config_generation 1/);
    }, soon);
  });

  it('refuses TLS 1.2', async () => {
    const refused = new Promise((_, reject) => {
      connect({ host: '127.0.0.1', port: gatehouse.port, maxVersion: 'TLSv1.2' }).on(
        'error',
        reject,
      );
    });
    await expect(refused).rejects.toThrow();
  });

  it('takes a good change of its configuration, and keeps the last good one under a bad one', async () => {
    gatehouse.configure({ ...settings(), nodeAffinity: { pools: ['cpu-worker-0'], weight: 33 } });
    const weight = async () => JSON.stringify(affinityOf(await createPod(team, { name: 'w' })));
    await vi.waitFor(async () => expect(await weight()).toContain('"weight":33'), soon);

    gatehouse.configure('nodeAffinity: { wieght: 3 }');
    await vi.waitFor(async () => {
      const ready = await get('/readyz');
      expect(ready.status).toBe(200);
      expect(await ready.text()).toMatch(/"degraded".*did you mean nodeAffinity.weight/);
    }, soon);
    expect(await weight()).toContain('"weight":33');
    gatehouse.configure(settings());
    await vi.waitFor(async () => expect(await weight()).toContain('"weight":10'), soon);
  });

  it('is not ready any more when it is told to end, and still answers until it has drained', async () => {
    const draining = { ...settings(), server: { ...settings().server, drainSeconds: 3 } };
    const another = await startGatehouse({ settings: draining, kubeconfig: kube.kubeconfig });
    const ready = () => fetch(`http://127.0.0.1:${another.probePort}/readyz`);
    await vi.waitFor(async () => expect((await ready()).status).toBe(200), soon);

    const ended = another.stop();
    await vi.waitFor(async () => expect((await ready()).status).toBe(503), soon);
    expect(await handshakes(another.port)).toBe(true);
    expect(await ended).toBe(0);
    expect(await handshakes(another.port)).toBe(false);
  });

  it('is degraded and goes on when it may not list nodes', async () => {
    const refused = { kind: nodes, name: 'nobody' };
    expect(await cluster.find(refused)).toBeUndefined();
    const token = await tokenWithoutNodes();
    const kubeconfig = kubeconfigWith(token);
    const another = await startGatehouse({ settings: settings(), kubeconfig });
    await vi.waitFor(async () => {
      const answer = await fetch(`http://127.0.0.1:${another.probePort}/readyz`);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('runs-of-follow-pool');
    }, soon);
    expect(await another.stop()).toBe(0);
  });

  it('ends with 0 when it is told to', async () => {
    const another = await startGatehouse({ settings: settings(), kubeconfig: kube.kubeconfig });
    expect(await another.stop()).toBe(0);
    expect(another.log()).toContain('"msg":"stopped"');
  });
});
