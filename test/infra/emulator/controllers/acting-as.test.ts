import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EmulatedCluster, emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { type Controllers, openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { deployments, jobs, nodes, services } from '#infra/emulator/controllers/shapes/kinds.ts';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { validatingWebhooks } from '#shared/domain/kind.ts';
import { openLog } from '#shared/runtime/log.ts';
import { type HookServer, hookServer } from '../cluster/admission/hook-server.ts';
import { kitFor, stageNodes } from './kit.ts';

/** No node may say so of itself. */
const trust = 'node-role.kubernetes.io/trusted';

let emulated: EmulatedCluster;
let controllers: Controllers;
let cluster: OpenCluster;
let server: HookServer;
/** What was asked about, and in whose name: `CREATE pods`. */
const seen = new Map<string, Set<string>>();
const groups = new Map<string, readonly string[]>();

beforeAll(async () => {
  emulated = await emulatedCluster();
  server = await hookServer();
  const login = { kind: 'kubeconfig-text', text: emulated.kubeconfig } as const;
  const kubelet = {
    nodes: [...stageNodes, { name: 'trusted', labels: { disk: 'ssd', [trust]: '' } }],
    timings: { createMs: 2, jobMs: 5, backoffMs: 5, graceMs: 2 },
  };
  cluster = await openCluster({ login });
  server.on('/', ({ request }) => {
    const { operation, resource, subResource, userInfo } = Object(request);
    const what = [operation, [resource.resource, subResource].filter(Boolean).join('/')].join(' ');
    seen.set(what, (seen.get(what) ?? new Set()).add(userInfo.username));
    groups.set(userInfo.username, userInfo.groups);
    return {};
  });
  const rule = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
  await cluster.create(validatingWebhooks, {
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
    metadata: { name: 'onlooker' },
    webhooks: [
      {
        name: 'onlooker.example.com',
        clientConfig: { url: `https://localhost:${server.port}/`, caBundle: server.caBundle },
        rules: [{ ...rule, operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] }],
        ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Ignore' },
      },
    ],
  });
  // Before it there is no node.
  controllers = await openControllers({ login, log: openLog({ level: 'error' }), kubelet });
});

afterAll(async () => {
  cluster.close();
  controllers.close();
  await Promise.all([emulated.close(), server.close()]);
});

const workers = new Set(
  [...stageNodes, { name: 'trusted' }].map(({ name }) => `system:node:${name}`),
);
const account = (name: string) => `system:serviceaccount:kube-system:${name}`;

it('webhooks are told who acts, as a real cluster has it', async () => {
  const kit = kitFor({ cluster, controllers, login: { kind: 'kubeconfig-text', text: '' } });
  const namespace = await kit.fresh();
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'nginx' }] },
  };
  const selector = { matchLabels: { app: 'web' } };
  await kit.make(deployments, namespace, 'web', { spec: { replicas: 1, selector, template } });
  const service = { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } };
  await kit.make(services, namespace, 'web', service);
  const job = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
  await kit.make(jobs, namespace, 'once', { spec: { template: job, ttlSecondsAfterFinished: 0 } });
  const looks = () => {
    expect(seen.get('CREATE replicasets')).toEqual(new Set([account('deployment-controller')]));
    expect(seen.get('CREATE pods')).toEqual(
      new Set([account('replicaset-controller'), account('job-controller')]),
    );
    expect(seen.get('CREATE pods/binding')).toEqual(new Set(['system:kube-scheduler']));
    expect(seen.get('CREATE serviceaccounts')).toEqual(
      new Set([account('service-account-controller')]),
    );
    expect(seen.get('CREATE configmaps')).toEqual(new Set([account('root-ca-cert-publisher')]));
    expect(seen.get('CREATE endpoints')).toEqual(new Set([account('endpoint-controller')]));
    expect(seen.get('CREATE endpointslices')).toEqual(
      new Set([account('endpointslice-controller')]),
    );
    expect(seen.get('UPDATE deployments/status')).toEqual(
      new Set([account('deployment-controller')]),
    );
    expect(seen.get('DELETE jobs')).toContain(account('ttl-after-finished-controller'));
    expect(seen.get('CREATE nodes')).toEqual(workers);
    expect(seen.get('CREATE leases')).toEqual(workers);
    expect(seen.get('UPDATE nodes/status')).toEqual(workers);
    expect(seen.get('UPDATE nodes')).toEqual(new Set([account('node-controller')]));
    const running = seen.get('UPDATE pods/status') ?? new Set();
    expect([...running].filter((name) => !workers.has(name))).toEqual([]);
    expect(running.size).toBeGreaterThan(0);
  };
  await vi.waitFor(looks, { timeout: 20_000, interval: 20 });
  expect(groups.get(account('replicaset-controller'))).toEqual(
    expect.arrayContaining(['system:serviceaccounts', 'system:serviceaccounts:kube-system']),
  );
  await kit.seen(nodes, undefined, 'trusted', ({ metadata: { labels } }) => {
    return labels?.['disk'] === 'ssd' && labels[trust] === '';
  });
  expect(groups.get('system:node:plain-1')).toEqual(['system:nodes', 'system:authenticated']);
  // A person's own is the person's, and nothing else is.
  const ofPerson = [...seen].filter(([, users]) => users.has('kubernetes-admin'));
  expect(new Set(ofPerson.map(([what]) => what))).toEqual(
    new Set(['namespaces', 'deployments', 'services', 'jobs'].map((each) => `CREATE ${each}`)),
  );
  const masters = [...groups].filter(([, its]) => its.includes('system:masters'));
  expect(masters.map(([name]) => name)).toEqual(['kubernetes-admin']);
});
