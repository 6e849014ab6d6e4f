import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { nodes } from '#shared/domain/kind.ts';
import { managed, podOf } from '#test/contracts/end-to-end/place.ts';
import { answers, registerWebhook, soon, tried } from '#test/contracts/end-to-end/webhook.ts';
import { ofMutating } from '#test/support/certificates/webhooks.ts';
import { type Started, startGatehouse } from '../support/gatehouse-process.ts';
import { freshNamespace } from './kube/fresh-namespace.ts';

const kube = inject('kube');

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-1', labels: { 'worker.gardener.cloud/pool': 'cpu-worker-0' } },
};

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
  await registerWebhook({ cluster, port: gatehouse.port, installation });
  await cluster.create(nodes, node);
  await answers(cluster, team);
});

afterAll(async () => {
  await gatehouse.stop();
  await cluster.delete(ofMutating);
  await cluster.delete({ kind: nodes, name: 'worker-1' });
  cluster.close();
});

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

/** Asks little of the API server, and takes a process for each case: the emulated cluster is not put to it. */
describe('the serving process', () => {
  it('is ready, and shows metrics of its own and of Node', async () => {
    await vi.waitFor(async () => expect((await get('/readyz')).status).toBe(200), soon);
    expect((await get('/healthz')).status).toBe(200);

    await vi.waitFor(async () => {
      await tried(cluster, podOf(team, 'counted'));
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
