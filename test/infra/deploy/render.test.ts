import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { streamOf } from '#infra/deploy/manifest.ts';
import { type Request, render } from '#infra/deploy/render.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { mapImages, planOf, requireDigest, samples, stampPool, theOne } from './samples.ts';

const requestOf = (changes: Partial<Request> = {}): Request => ({
  target: 'kubernetes',
  plan: planOf(),
  separate: false,
  database: 'none',
  host: undefined,
  ...changes,
});

function rendered(changes: Partial<Request> = {}) {
  const result = render(requestOf(changes));
  if (result.kind === 'refused') throw new Error(result.why);
  return result;
}

const everywhere: readonly Partial<Request>[] = [
  { target: 'kubernetes' },
  { target: 'kubernetes', separate: true, database: 'secret' },
  { target: 'kubernetes', plan: planOf({ certificates: 'cert-manager' }) },
  { target: 'knative' },
  { target: 'lambda', host: 'api.example.com', database: 'secret' },
];

describe('render', () => {
  it.each<[string, (object: KubeObject) => boolean, Partial<Request>]>([
    ['kubernetes', () => true, { target: 'kubernetes' }],
    ['knative', ({ apiVersion }) => apiVersion.startsWith('serving'), { target: 'knative' }],
    ['separate', ({ kind }) => kind.endsWith('WebhookConfiguration'), { separate: true }],
    [
      'lambda-cluster',
      ({ kind }) => kind.endsWith('WebhookConfiguration'),
      { target: 'lambda', host: 'api.example.com' },
    ],
  ])('gives the very bytes that it gave before: %s', async (name, isKept, changes) => {
    const golden = `../../fixtures/render/${name}.golden.yaml`;
    const text = streamOf(rendered(changes).manifests.filter(isKept));

    await expect(text).toMatchFileSnapshot(golden);
  });

  it.each(everywhere)('gives the same bytes in whatever order functions come: %j', (changes) => {
    const { manifests, files } = rendered(changes);
    const plan = changes.plan ?? planOf();

    fc.assert(
      fc.property(fc.shuffledSubarray(samples, { minLength: samples.length }), (shuffled) => {
        const again = rendered({ ...changes, plan: { ...plan, definitions: shuffled } });
        expect(streamOf(again.manifests)).toBe(streamOf(manifests));
        expect(again.files).toEqual(files);
      }),
      { numRuns: 20 },
    );
  });

  it.each(everywhere)(
    'gives objects that are told apart by kind, namespace and name: %j',
    (changes) => {
      const addresses = rendered(changes).manifests.map(
        ({ apiVersion, kind, metadata }) =>
          `${apiVersion} ${kind} ${metadata.namespace ?? ''}/${metadata.name}`,
      );

      expect(new Set(addresses).size).toBe(addresses.length);
    },
  );

  it('gives a stream that reads back as what was rendered', () => {
    const { manifests } = rendered();
    const documents = parseAllDocuments(streamOf(manifests));

    expect(documents.map((document) => document.toJS())).toEqual(
      JSON.parse(JSON.stringify(manifests)),
    );
  });

  it('puts what is needed before what needs it', () => {
    const kinds = rendered().manifests.map(({ kind }) => kind);

    expect(kinds.indexOf('Namespace')).toBe(0);
    expect(kinds.indexOf('Deployment')).toBeLessThan(kinds.indexOf('MutatingWebhookConfiguration'));
    expect(kinds).not.toContain(undefined);
  });

  it('refuses to fail closed among other workloads', () => {
    const settings = settingsFixed({ installation: { namespace: 'kyma-system' } }).current();

    expect(render(requestOf({ plan: planOf({ settings }) }))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('kyma-system'),
    });
  });

  it('gives the leaf the names of the Services that it stands in for', () => {
    const config = JSON.stringify(
      rendered({ separate: true }).manifests.find(({ kind }) => kind === 'ConfigMap'),
    );

    expect(config).toContain('kim-snatch-webhook-service.gatehouse-system.svc');
  });
});

describe('render with a database', () => {
  it('runs worker and forwarder beside the admission server, and only then', () => {
    const deployments = ({ manifests }: ReturnType<typeof rendered>) =>
      manifests.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);

    const names = ['gatehouse-admission', 'gatehouse-forwarder', 'gatehouse-worker'];
    expect(deployments(rendered({ database: 'secret' }))).toEqual(names);
    expect(deployments(rendered({ database: 'none' }))).toEqual(['gatehouse-admission']);
  });

  it('gives the forwarder the heap that its benchmark has, and the worker none of its own', () => {
    const { manifests } = rendered({ database: 'secret' });
    const flagsOf = (name: string) =>
      /"NODE_OPTIONS","value":"([^"]*)"/.exec(
        JSON.stringify(theOne(manifests, 'Deployment', name)),
      )?.[1];

    expect(flagsOf('gatehouse-forwarder')).toBe('--max-semi-space-size=4 --max-old-space-size=52');
    expect(flagsOf('gatehouse-worker')).toBe('--max-semi-space-size=8');
  });

  it('lets the admission server start without the Secret, and nobody else', () => {
    const { manifests } = rendered({ database: 'secret' });
    const isOptional = (name: string) =>
      JSON.stringify(theOne(manifests, 'Deployment', name)).includes('"optional":true');

    expect(isOptional('gatehouse-admission')).toBe(true);
    expect(isOptional('gatehouse-worker')).toBe(false);
  });

  it.each<[string, Partly<Settings>, readonly number[]]>([
    ['Postgres’ own where nothing is said', {}, [5432]],
    ['those of the settings', { database: { ports: [6432, 5433] } }, [6432, 5433]],
  ])('lets every role out to the ports of its hosts: %s', (_, stated, ports) => {
    const plan = planOf({ settings: settingsFixed(stated).current() });
    const egress = [{ ports: ports.map((port) => ({ protocol: 'TCP', port })) }];
    const { manifests } = rendered({ database: 'secret', plan });
    for (const role of ['admission', 'worker', 'forwarder']) {
      const policy = theOne(manifests, 'NetworkPolicy', `gatehouse-${role}-to-database`);
      expect(policy).toMatchObject({ spec: { policyTypes: ['Egress'], egress } });
    }
  });

  it('leaves a worker the time that its settings give it, before it is killed', () => {
    const settings = settingsFixed({ worker: { graceSeconds: 300 } }).current();
    const { manifests } = rendered({ database: 'secret', plan: planOf({ settings }) });
    const graceOf = (name: string) =>
      /"terminationGracePeriodSeconds":(\d+)/.exec(
        JSON.stringify(theOne(manifests, 'Deployment', name)),
      )?.[1];

    expect(graceOf('gatehouse-worker')).toBe('315');
    expect(graceOf('gatehouse-admission')).toBe('30');
  });

  it('tells the worker where Knative has each function', () => {
    const { manifests } = rendered({ target: 'knative', database: 'secret' });
    const config = JSON.stringify(theOne(manifests, 'ConfigMap', 'gatehouse-config'));

    expect(config).toContain('http://gatehouse-report-strays.gatehouse-system.svc.cluster.local');
  });

  it('lets the forwarder watch what wakes functions and no more', () => {
    const { manifests } = rendered({ database: 'secret' });
    const verbs = ['get', 'list', 'watch'];

    expect(theOne(manifests, 'ClusterRole', 'gatehouse-forwarder')['rules']).toEqual([
      { apiGroups: [''], resources: ['namespaces'], verbs },
      { apiGroups: [''], resources: ['nodes'], verbs },
    ]);
    const role = theOne(manifests, 'Role', 'gatehouse-forwarder');
    expect(role.metadata.namespace).toBe('gatehouse-system');
    expect(role['rules']).toEqual([
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: ['gatehouse-certificates'],
        verbs,
      },
    ]);
  });

  it('leaves the forwarder in the cluster where functions are on lambda', () => {
    const { manifests } = rendered({
      target: 'lambda',
      host: 'api.example.com',
      database: 'secret',
    });
    const forwarder = manifests.find(({ kind }) => kind === 'Deployment');

    expect(forwarder?.metadata.name).toBe('gatehouse-forwarder');
    expect(JSON.stringify(forwarder)).toContain('{"name":"QUEUE","value":"sqs"}');
  });
});

describe('render for lambda', () => {
  it('gives serverless.yml, and the cluster’s part once the host is known', () => {
    const before = rendered({ target: 'lambda' });
    const after = rendered({ target: 'lambda', host: 'api.example.com' });

    expect(before.manifests).toEqual([]);
    expect(before.files.map(({ path }) => path)).toEqual(['serverless.yml']);
    expect(after.files).toEqual(before.files);
    expect(after.manifests.map(({ kind }) => kind)).toEqual([
      'Namespace',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ]);
  });

  it('grants there what the functions use, and nothing for certificates', () => {
    const { manifests } = rendered({ target: 'lambda', host: 'api.example.com' });
    const [role] = manifests.filter(({ kind }) => kind === 'ClusterRole');

    expect(role?.metadata.name).toBe('gatehouse-lambda');
    expect(JSON.stringify(role?.['rules'])).toContain('"nodes"');
    expect(JSON.stringify(manifests)).not.toContain('"secrets"');
  });

  it('asks each function alone, as no process holds two', () => {
    const { manifests } = rendered({
      target: 'lambda',
      host: 'api.example.com',
      plan: planOf({ definitions: [stampPool, mapImages, requireDigest] }),
    });

    expect(JSON.stringify(manifests)).not.toContain('/mutate/pods');
    expect(JSON.stringify(manifests)).toContain('https://api.example.com/mutate/map-images');
  });
});
