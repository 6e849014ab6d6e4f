import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EmulatedCluster, emulatedCluster } from '#infra/emulator/cluster/emulated-cluster.ts';
import { type Controllers, openControllers } from '#infra/emulator/controllers/open-controllers.ts';
import { deployments, jobs } from '#infra/emulator/controllers/shapes/kinds.ts';
import { type OpenCluster, openCluster } from '#shared/adapters/cluster/open-cluster.ts';
import { validatingWebhooks } from '#shared/domain/kind.ts';
import { openLog } from '#shared/runtime/log.ts';
import { type HookServer, hookServer } from '../cluster/admission/hook-server.ts';
import { kitFor, stageNodes } from './kit.ts';

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
    nodes: stageNodes,
    timings: { createMs: 2, jobMs: 5, backoffMs: 5, graceMs: 2 },
  };
  controllers = await openControllers({ login, log: openLog({ level: 'error' }), kubelet });
  cluster = await openCluster({ login });
  server.on('/', ({ request }) => {
    const { operation, resource, subResource, userInfo } = Object(request);
    const what = [operation, [resource.resource, subResource].filter(Boolean).join('/')].join(' ');
    seen.set(what, (seen.get(what) ?? new Set()).add(userInfo.username));
    groups.set(userInfo.username, userInfo.groups);
    return {};
  });
  const rule = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: 'Namespaced' };
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
});

afterAll(async () => {
  cluster.close();
  controllers.close();
  await Promise.all([emulated.close(), server.close()]);
});

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
  const job = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
  await kit.make(jobs, namespace, 'once', { spec: { template: job } });
  const looks = () => {
    expect(seen.get('CREATE replicasets')).toEqual(new Set([account('deployment-controller')]));
    expect(seen.get('CREATE pods')).toEqual(
      new Set([account('replicaset-controller'), account('job-controller')]),
    );
    expect(seen.get('CREATE pods/binding')).toEqual(new Set(['system:kube-scheduler']));
    expect(seen.get('CREATE serviceaccounts')).toEqual(
      new Set([account('service-account-controller')]),
    );
  };
  await vi.waitFor(looks, { timeout: 20_000, interval: 20 });
  expect(groups.get(account('replicaset-controller'))).toEqual(
    expect.arrayContaining(['system:serviceaccounts', 'system:serviceaccounts:kube-system']),
  );
  // A person's own is the person's.
  expect(seen.get('CREATE deployments')).toEqual(new Set(['kubernetes-admin']));
});
