import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtIn } from '#infra/built-in.ts';
import { emulate } from '#infra/emulator/world/emulate.ts';
import { everyFault } from '#infra/emulator/world/every-fault/every-fault.ts';
import type { Scenario } from '#infra/emulator/world/every-fault/scenario.ts';
import type { World } from '#infra/emulator/world/world.ts';
import type { Definition } from '#shared/define.ts';
import { labels, manager } from '#shared/domain/installation.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { config, surroundings } from '#test/functions/pod-bootstrap/housekeeping-world.ts';
import { leaseWith } from '#test/support/certificates/objects.ts';
import { trustScenarios } from '#test/support/image-trust/scenarios.ts';

function fileOf(path: string): URL {
  return new URL(`../../../../functions/${path}.ts`, import.meta.url);
}

const kyma = { 'operator.kyma-project.io/managed-by': 'kyma' };

function node(name: string, pool: string) {
  const metadata = { name, labels: { 'worker.gardener.cloud/pool': pool } };
  return { apiVersion: 'v1', kind: 'Node', metadata };
}

function podOn(name: string, nodeName: string) {
  const metadata = { name, namespace: 'module' };
  const spec = { nodeName, containers: [{ name: 'main', image: 'web:1' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec, status: { phase: 'Running' } };
}

const module_ = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'module', labels: kyma } };

const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'gatehouse', labels: { [labels.managedBy]: manager } },
  webhooks: [
    {
      name: 'pods.mutate.gatehouse.io',
      clientConfig: { service: { namespace: 'gatehouse-system', name: 'gatehouse-webhook' } },
    },
  ],
};

/** Keys are made by dice, as they should be: of them only counts that they are there. */
function withoutKeys(object: KubeObject): KubeObject {
  const { data } = object;
  if (object.kind !== 'Secret' || !isJsonObject(data)) return object;
  const filled = Object.keys(data).map((key) => [key, data[key] === '' ? 'empty' : 'filled']);
  const { annotations: _, ...metadata } = object.metadata;
  return { ...object, metadata, data: Object.fromEntries(filled) };
}

const minute = (world: World) => world.advance(61_000);

/** As the rotation leaves it. */
async function issuedSecret(): Promise<KubeObject> {
  await using world = await emulate({ functions: [fileOf('certificates/rotate-certificate')] });
  await world.settle();
  const secret = await world.find('Secret gatehouse-system/gatehouse-certificates');
  if (secret === undefined) throw new Error('no Secret was made');
  return secret;
}

const bootDocument = JSON.stringify({
  overrides: { 'a.test': 'b.test' },
  availableFeatures: ['rt-cfg.kyma-project.io/alter-img-registry'],
});

function documentMap(text: string) {
  const metadata = { name: 'rt-bootstrapper-config', namespace: 'kyma-system' };
  const data = { 'rt-bootstrapper-config.json': text };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

const pullDocument = documentMap(
  JSON.stringify({
    overrides: {},
    availableFeatures: ['rt-cfg.kyma-project.io/add-img-pull-secret'],
  }),
);

function namespace(name: string, annotations: Readonly<Record<string, string>> = {}) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
}

const noSecret = { 'rt-cfg.kyma-project.io/all': 'false' };

function pullSecret(of: string, credentials: string): KubeObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/dockerconfigjson' },
    metadata: { name: 'registry-credentials', namespace: of },
    data: { '.dockerconfigjson': Buffer.from(credentials).toString('base64') },
  };
}

/** Which version of the source was copied depends on how often it was written. */
function withoutOrigin(object: KubeObject): KubeObject | undefined {
  if (object.kind === 'Event') return undefined;
  if (object.kind !== 'Secret') return object;
  const { annotations: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Each reconcile function of ours, and what it lives for. */
const scenarios: Readonly<Record<string, Scenario>> = {
  ...trustScenarios,
  'follow-bootstrap-document': {
    functions: [fileOf('pod-bootstrap/follow-bootstrap-document')],
    objects: [documentMap(bootDocument)],
    steps: {
      'somebody breaks the document': (world) => world.apply(documentMap('{')),
      'somebody mends it': (world) => world.apply(documentMap(bootDocument)),
    },
  },
  'follow-pool': {
    functions: [fileOf('node-affinity/follow-pool')],
    steps: {
      'the pool gets a node': (world) => world.apply(node('one', 'cpu-worker-0')),
      'it loses it': (world) => world.delete('Node one'),
    },
  },
  'replicate-pull-secret': {
    functions: [fileOf('pod-bootstrap/replicate-pull-secret')],
    objects: [
      ...[pullDocument, namespace('kyma-system'), namespace('team-a')],
      ...[namespace('team-b'), pullSecret('kyma-system', '{"auths":{}}')],
      // Fewer writes are fewer cases.
      ...['default', 'kube-system'].map((name) => namespace(name, noSecret)),
    ],
    compare: withoutOrigin,
    steps: {
      'the source goes': (world) => world.delete('Secret kyma-system/registry-credentials'),
      'it comes back otherwise': (world) => world.apply(pullSecret('kyma-system', '{"auths":1}')),
      'a replica is edited, and a namespace opts out': async (world) => {
        await world.apply(pullSecret('team-a', '{"auths":"mine"}'));
        await world.apply(namespace('team-b', noSecret));
      },
    },
  },
  'report-strays': {
    functions: [fileOf('node-affinity/report-strays')],
    objects: [node('in', 'cpu-worker-0'), node('out', 'other'), module_],
    // Its Events as well.
    compare: (object) => object,
    steps: {
      'a pod strays': (world) => world.apply([podOn('good', 'in'), podOn('stray', 'out')]),
      'a minute passes': minute,
    },
  },
  'survey-pods': {
    functions: [fileOf('pod-bootstrap/survey-pods')],
    objects: surroundings,
    config,
    steps: {
      'a pod that nobody would make anew was missed': (world) =>
        world.apply({ ...podOn('alone', 'n-1'), metadata: { name: 'alone', namespace: 'team-a' } }),
      'five minutes pass': (world) => world.advance(300_000),
    },
  },
  'forget-replicas': {
    functions: [fileOf('certificates/forget-replicas')],
    objects: [leaseWith('dead', { renewedAt: new Date('2029-12-31T23:00:00Z') })],
    steps: {
      'another one starts': (world) =>
        world.apply(leaseWith('living', { renewedAt: new Date('2030-01-01T00:00:00Z') })),
      'a minute passes': minute,
    },
  },
  'heal-ca-bundle': {
    functions: [fileOf('certificates/heal-ca-bundle')],
    objects: [await issuedSecret(), configuration],
    steps: { 'an installer wipes the bundle': (world) => world.apply(configuration) },
  },
  'rotate-certificate': {
    functions: [fileOf('certificates/rotate-certificate')],
    compare: withoutKeys,
    steps: {
      'somebody deletes the Secret': (world) =>
        world.delete('Secret gatehouse-system/gatehouse-certificates'),
    },
  },
};

/** Their own tests have the controllers that these stories need. */
const elsewhere = ['follow-trust-bundle', 'restart-pod'];

describe('our own reconcile functions', () => {
  it('are all here', async () => {
    const all = await Promise.all(builtIn().map(async ({ load }) => (await load()).default));
    const names = (all as readonly Definition[])
      .filter(({ shape }) => shape === 'reconcile')
      .map(({ name }) => name);
    expect([...Object.keys(scenarios), ...elsewhere].toSorted()).toEqual(names.toSorted());
  });

  it.each(elsewhere)('%s has such a story in its own test', (name) => {
    const file = new URL(`../../../functions/pod-bootstrap/${name}.test.ts`, import.meta.url);
    expect(readFileSync(file, 'utf8')).toMatch(/await everyFault\(\{/);
  });

  it.each(Object.entries(scenarios))(
    '%s survives every fault',
    async (_, scenario) => {
      const { cases, text } = await everyFault(scenario);
      expect(text).toBe(`the same end in all ${cases} cases`);
      expect(cases).toBeGreaterThan(10);
    },
    60_000,
  );
});
