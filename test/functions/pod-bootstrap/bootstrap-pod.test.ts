import { describe, expect, it } from 'vitest';
import preferPool from '#functions/node-affinity/prefer-pool.ts';
import bootstrapPod from '#functions/pod-bootstrap/bootstrap-pod.ts';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { namespacesInMemory } from '#infra/emulator/testing/namespaces-in-memory.ts';
import type { Partly } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { featureKeys } from '#shared/domain/pod-bootstrap/feature.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { BootstrapDocuments, Namespaces } from '#shared/ports.ts';
import { openEnvelope } from '#shared/runtime/admission/envelope.ts';
import { fuse } from '#shared/runtime/admission/fuse.ts';
import { ask, patched, reviewOf, stage } from '#test/support/admission.ts';

const document = {
  overrides: { 'replace.me': 'localhost:5001' },
  availableFeatures: [...featureKeys],
  clusterTrustBundle: {
    name: 'rt-bootstrapper-k3d.test:ctb:1',
    certWritePath: 'kube-apiserver-serving.pem',
    volumeMountPath: '/etc/ssl/certs',
    volumeName: 'rt-bootstrapper-certs',
  },
};
const configured = { podBootstrap: { document, landscape: 'NS2' } };

const quiet = { 'rt-cfg.kyma-project.io/all': 'false' };
const namespaces = namespacesInMemory(
  { name: 'team-a', labels: { 'operator.kyma-project.io/managed-by': 'kyma' } },
  { name: 'kube-system' },
  { name: 'quiet', annotations: quiet },
  { name: 'gatehouse-system' },
);

function podOf(metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'web-', ...metadata },
    spec: { containers: [{ name: 'web', image: 'replace.me/web:1' }], ...spec },
  };
}

type Asked = Parameters<typeof reviewOf>[0] & {
  readonly settings?: Partly<Settings>;
  readonly namespaces?: Namespaces;
  readonly bootstrapDocument?: BootstrapDocuments;
};

/** One review through the whole loop. */
async function admitted({
  settings = configured,
  namespaces: own = namespaces,
  bootstrapDocument = bootstrapDocumentsInMemory(),
  ...request
}: Asked = {}) {
  const { app } = await stage({
    functions: [bootstrapPod],
    namespaces: own,
    settings,
    ports: { namespaces: own, bootstrapDocument },
  });
  return ask(app, '/mutate/pods', reviewOf({ object: podOf(), ...request }));
}

const untouched = { allowed: true, operations: [], warnings: [] };

describe('bootstrap-pod', () => {
  it('B19 gives a pod all of it, by few operations', async () => {
    const answer = await admitted();
    expect(answer).toMatchObject({ allowed: true, warnings: [] });
    expect(answer.operations.map(({ op, path }) => `${op} ${path}`)).toEqual([
      'replace /spec/containers/0/image',
      'add /spec/imagePullSecrets',
      'add /spec/volumes',
      'add /spec/containers/0/volumeMounts',
      'add /spec/containers/0/env',
      'add /metadata/annotations',
    ]);
  });

  it('B22 answers its own result with nothing', async () => {
    const object = patched(podOf(), await admitted());
    expect(await admitted({ object })).toMatchObject(untouched);
  });

  it('takes kube-system for a namespace like any other', async () => {
    expect((await admitted({ namespace: 'kube-system' })).operations).not.toEqual([]);
  });

  it('is inert without a document, and asks nobody', async () => {
    const nobody: Namespaces = {
      find: () => Promise.reject(new Error('asked')),
      findLive: () => Promise.reject(new Error('asked')),
      list: () => Promise.reject(new Error('asked')),
    };
    expect(await admitted({ settings: {}, namespaces: nobody })).toMatchObject(untouched);
  });

  it.each<[string, Asked]>([
    ['a namespace that opted out', { namespace: 'quiet' }],
    ['a pod that opted out', { object: podOf({ annotations: quiet }) }],
    [
      'one of our own pods',
      {
        namespace: 'gatehouse-system',
        object: podOf({ labels: { 'app.kubernetes.io/name': 'gatehouse' } }),
      },
    ],
    ['a resize', { operation: 'UPDATE', subResource: 'resize', old: podOf() }],
    ['a binding', { subResource: 'binding' }],
    ['a deletion', { operation: 'DELETE', old: podOf() }],
    ['an update that brings no image', { operation: 'UPDATE', old: podOf({ labels: { a: 'b' } }) }],
    ['an update of something that cannot be read', { operation: 'UPDATE', old: { spec: 1 } }],
  ])('leaves %s alone', async (_, request) => {
    expect(await admitted(request)).toMatchObject(untouched);
  });

  it.each<[string, Asked]>([
    [
      'our label elsewhere',
      { object: podOf({ labels: { 'app.kubernetes.io/name': 'gatehouse' } }) },
    ],
    ['another pod in our namespace', { namespace: 'gatehouse-system' }],
  ])('does not take %s for one of our own pods', async (_, request) => {
    expect((await admitted(request)).operations).not.toEqual([]);
  });

  it('gives a new ephemeral container its image, and nothing else', async () => {
    const given = (...names: string[]) =>
      podOf(
        {},
        { ephemeralContainers: names.map((name) => ({ name, image: `replace.me/${name}` })) },
      );
    const answer = await admitted({
      operation: 'UPDATE',
      subResource: 'ephemeralcontainers',
      object: given('old', 'new'),
      old: given('old'),
    });
    expect(answer).toMatchObject({
      warnings: [],
      operations: [
        { op: 'replace', path: '/spec/ephemeralContainers/1/image', value: 'localhost:5001/new' },
      ],
    });
  });

  it('rewrites the image that an update brings back', async () => {
    const old = podOf({}, { containers: [{ name: 'web', image: 'localhost:5001/web:1' }] });
    expect((await admitted({ operation: 'UPDATE', old })).operations).toEqual([
      { op: 'replace', path: '/spec/containers/0/image', value: 'localhost:5001/web:1' },
    ]);
  });

  it('B26 goes by the defaults in a namespace that nobody knows yet', async () => {
    expect((await admitted({ namespace: 'just-made' })).operations).not.toEqual([]);
  });

  it('asks the cluster itself for a namespace that it does not know', async () => {
    const late: Namespaces = {
      ...namespacesInMemory(),
      findLive: namespacesInMemory({ name: 'team-a', annotations: quiet }).find,
    };
    expect(await admitted({ namespaces: late })).toMatchObject(untouched);
  });

  it.each<[string, Asked]>([
    [
      'B26 the namespace cannot be read',
      { namespaces: { ...namespacesInMemory(), find: () => Promise.reject(new Error('secret')) } },
    ],
    ['the pod cannot be read', { object: podOf({}, { containers: 'none' }) }],
  ])('lets a pod through with a warning where %s', async (_, request) => {
    const answer = await admitted(request);
    expect(answer).toMatchObject({ allowed: true, operations: [] });
    expect(answer.warnings).toEqual([expect.stringContaining('bootstrap-pod could not answer')]);
    expect(answer.warnings.join()).not.toContain('secret');
  });

  it('follows the document of the ConfigMap, and the bundle that it names', async () => {
    const bootstrapDocument = bootstrapDocumentsInMemory();
    const asked = async () => (await admitted({ settings: {}, bootstrapDocument })).operations;
    expect(await asked()).toEqual([]);

    bootstrapDocument.write(document);
    bootstrapDocument.know(document.clusterTrustBundle.name, { kind: 'present', hash: 'ab' });
    const before = await asked();
    expect(JSON.stringify(before)).toContain('"rt-bootstrapper.kyma-project.io/ctb-hash":"ab"');

    expect(bootstrapDocument.write('{').problems).not.toEqual([]);
    expect(await asked()).toEqual(before);
  });

  it.each([
    ['serves none', 'not-served', 'serves no ClusterTrustBundles'],
    ['keeps none in pods', 'not-projected', 'ClusterTrustBundleProjection'],
  ] as const)('mounts no bundle where the cluster %s, and says so', async (_, kind, said) => {
    const bootstrapDocument = bootstrapDocumentsInMemory(document);
    bootstrapDocument.know(document.clusterTrustBundle.name, { kind });
    const { operations, warnings } = await admitted({ settings: {}, bootstrapDocument });
    expect(operations.map(({ path }) => path)).not.toContain('/spec/volumes');
    expect(warnings.join()).toContain(said);
  });

  it('B26 lets a pod through with a warning where the document is bad, and none was read before', async () => {
    const bootstrapDocument = bootstrapDocumentsInMemory('{"overrides": "own.example"}');
    const asked = (more: Asked = {}) => admitted({ settings: {}, bootstrapDocument, ...more });
    const answer = await asked();
    expect(answer).toMatchObject({ allowed: true, operations: [] });
    expect(answer.warnings).toEqual([expect.stringContaining('cannot be used')]);
    expect(answer.warnings.join()).not.toContain('own.example');
    expect((await asked({ settings: configured })).operations).not.toEqual([]);
    bootstrapDocument.write({ overrides: {}, availableFeatures: [] });
    expect(await asked()).toMatchObject(untouched);
  });

  it('prefers the document in our own settings', async () => {
    const bootstrapDocument = bootstrapDocumentsInMemory({ overrides: {}, availableFeatures: [] });
    expect((await admitted({ bootstrapDocument })).operations).not.toEqual([]);
  });

  it('lets a pod through with a warning where the ConfigMap cannot be read', async () => {
    const bootstrapDocument: BootstrapDocuments = {
      ...bootstrapDocumentsInMemory(),
      current: () => Promise.reject(new Error('secret')),
    };
    const answer = await admitted({ settings: {}, bootstrapDocument });
    expect(answer).toMatchObject({ allowed: true, operations: [] });
    expect(answer.warnings).toEqual([expect.stringContaining('bootstrap-pod could not answer')]);
  });

  it('answers at the path of the system that it replaces', async () => {
    const { app } = await stage({
      functions: [bootstrapPod],
      settings: configured,
      ports: { namespaces, bootstrapDocument: bootstrapDocumentsInMemory() },
    });
    const answer = await ask(app, '/mutate--v1-pod', reviewOf({ object: podOf() }));
    expect(answer.operations).not.toEqual([]);
  });

  it('comes first of all that share the call for pods', async () => {
    const { bound, desk, host } = await stage({
      functions: [preferPool, bootstrapPod],
      namespaces,
      settings: { ...configured, nodeAffinity: { presence: 'assumed' } },
      ports: { namespaces, bootstrapDocument: bootstrapDocumentsInMemory() },
    });
    const functions = desk.at('/mutate/pods', () => [])?.functions ?? [];
    expect(functions.map(({ definition: { name } }) => name)).toEqual([
      'bootstrap-pod',
      'prefer-pool',
    ]);
    expect(bound).toHaveLength(2);

    const opened = openEnvelope(JSON.stringify(reviewOf({ object: podOf() })));
    if (!opened.ok) throw new Error(opened.unreadable.why);
    const until = performance.now() + 10_000;
    const { steps } = await fuse(functions, { asked: opened.asked, host, until, judge: 'cache' });
    expect(steps.map(({ answered }) => answered)).toEqual(['patch', 'patch']);
  });
});
