import { describe, expect, it } from 'vitest';
import checkBootstrapDocument from '#functions/pod-bootstrap/check-bootstrap-document.ts';
import { refusalOf } from '#infra/deploy/fail-closed.ts';
import { webhookManifests } from '#infra/deploy/webhooks.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { planOf } from '#test/infra/deploy/samples.ts';
import { ask, type Request, reviewOf, stage } from '#test/support/admission.ts';

const key = 'rt-bootstrapper-config.json';
const good = { overrides: { 'a.example': 'b.example' }, availableFeatures: [] };
const bad = { overrides: [] };

const usual = 'rt-bootstrapper-config';

function mapOf(document: unknown, labels: JsonObject = {}, name = usual): JsonObject {
  const data = document === undefined ? {} : { [key]: JSON.stringify(document) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data };
}

type Asked = Request & {
  readonly writers?: string[];
  readonly user?: { readonly username: string; readonly groups: readonly string[] };
};

/** One review through the whole loop. */
async function admitted({ writers = [], user, ...request }: Asked) {
  const { app } = await stage({
    functions: [checkBootstrapDocument],
    settings: { podBootstrap: { configMap: { writers } } },
  });
  const review = reviewOf({ namespace: 'kyma-system', resource: 'configmaps', ...request });
  const told = { ...(user === undefined ? {} : { userInfo: user }) };
  const body = { ...review, request: { ...(review['request'] as JsonObject), ...told } };
  return ask(app, '/validate/check-bootstrap-document', body);
}

const writer = { username: 'system:serviceaccount:kcp:kim', groups: ['system:authenticated'] };
const called = (username: string) => ({ username, groups: [] });
const namespaceController = called('system:serviceaccount:kube-system:namespace-controller');
const collector = called('system:serviceaccount:kube-system:generic-garbage-collector');
/** As it is known where controllers have no accounts of their own. */
const controllerManager = called('system:kube-controller-manager');

function mapWith(metadata: JsonObject, more: JsonObject = {}, document: unknown = good) {
  return { ...mapOf(document), ...more, metadata: { name: usual, ...metadata } };
}

const owned = mapWith({ ownerReferences: [{ kind: 'Kyma', name: 'default', uid: 'u' }] });
const held = mapWith({ finalizers: ['foregroundDeletion'], deletionTimestamp: '2030-01-01' });
const update: Asked = { operation: 'UPDATE', writers: ['kim'] };

describe('check-bootstrap-document', () => {
  it.each<[string, Asked]>([
    ['a good document', { object: mapOf(good) }],
    ['another name', { object: mapOf(bad, {}, `${usual}-2`) }],
    ['another namespace', { object: mapOf(bad), namespace: 'team-a' }],
    ['a writer that is named', { object: mapOf(good), writers: [writer.username], user: writer }],
    [
      'a group that is named',
      { object: mapOf(good), writers: ['kim'], user: { username: 'x', groups: ['kim'] } },
    ],
    ['a deletion where no writer is named', { operation: 'DELETE', old: mapOf(good) }],
    [
      'the end of its namespace',
      { operation: 'DELETE', old: mapOf(good), writers: ['kim'], user: namespaceController },
    ],
    [
      'the end of its namespace, where controllers have no accounts of their own',
      { operation: 'DELETE', old: mapOf(good), writers: ['kim'], user: controllerManager },
    ],
    [
      'a label on a document that is bad already',
      { operation: 'UPDATE', old: mapOf(bad), object: mapOf(bad, { a: 'b' }) },
    ],
    [
      'a label on a ConfigMap that has no such key',
      { operation: 'UPDATE', old: mapOf(undefined), object: mapOf(undefined, { a: 'b' }) },
    ],
    [
      'another key of one that has no such key',
      {
        operation: 'UPDATE',
        old: mapOf(undefined),
        object: mapWith({}, { data: { other: 'x' } }),
      },
    ],
    ['a stranger’s label', { ...update, old: mapOf(good), object: mapOf(good, { a: 'b' }) }],
    ['the last step of a deletion', { ...update, old: held, object: mapWith({}), user: collector }],
    [
      'the last step of a deletion, by who has no account of its own',
      { ...update, old: held, object: mapWith({}), user: controllerManager },
    ],
    ['the end of its owner alone', { ...update, old: owned, object: mapWith({}), user: collector }],
  ])('lets %s through', async (_, request) => {
    expect(await admitted(request)).toMatchObject({ allowed: true, operations: [] });
  });

  it('shows the doubts about a document that it lets through', async () => {
    const { allowed, warnings } = await admitted({ object: mapOf({ ...good, ourOwn: 1 }) });
    expect([allowed, warnings.join()]).toEqual([
      true,
      expect.stringContaining('$.ourOwn is ignored'),
    ]);
  });

  it.each<[string, Asked, string]>([
    ['a bad document', { object: mapOf(bad) }, '$.overrides: expected'],
    ['a ConfigMap without its key', { object: mapOf(undefined) }, `no key ${key}`],
    [
      'a document that was good',
      { operation: 'UPDATE', old: mapOf(good), object: mapOf(bad) },
      '$.overrides: expected',
    ],
    ['a stranger', { object: mapOf(good), writers: [writer.username] }, 'ada may not write'],
    [
      'a stranger’s deletion',
      { operation: 'DELETE', old: mapOf(good), writers: [writer.username] },
      'ada may not write',
    ],
    [
      'a stranger’s other key',
      { ...update, old: mapOf(good), object: mapWith({}, { binaryData: { x: '' } }) },
      'ada may not write',
    ],
    [
      'a stranger who would have it changed by nobody any more',
      { ...update, old: mapOf(good), object: mapWith({}, { immutable: true }) },
      'ada may not write',
    ],
    [
      'a stranger who would have it collected, by an owner that is not there',
      { ...update, old: mapOf(good), object: owned },
      'ada may not write',
    ],
    [
      'a writing by who may only end a namespace',
      { object: mapOf(good), writers: ['kim'], user: namespaceController },
      'may not write',
    ],
    [
      'what is no ConfigMap',
      { object: { metadata: { name: usual }, data: 'none' } },
      'check-bootstrap-document',
    ],
  ])('refuses %s', async (_, request, expected) => {
    const { allowed, message } = await admitted(request);
    expect([allowed, message]).toEqual([false, expect.stringContaining(expected)]);
  });

  it('is asked about that ConfigMap alone, wherever the settings say it is', () => {
    const settings = settingsFixed({
      podBootstrap: { configMap: { namespace: 'platform', name: 'pods' } },
    }).current();
    const manifests = webhookManifests(planOf({ definitions: [checkBootstrapDocument], settings }));
    expect(manifests).toMatchObject([
      {
        kind: 'ValidatingWebhookConfiguration',
        webhooks: [
          {
            failurePolicy: 'Fail',
            rules: [{ resources: ['configmaps'], operations: ['CREATE', 'DELETE', 'UPDATE'] }],
            matchConditions: [
              {
                expression:
                  "request.namespace == 'platform' && (request.operation == 'DELETE' ? oldObject : object).metadata.name == 'pods'",
              },
            ],
          },
        ],
      },
    ]);
  });

  it.each([
    ['is exempt', { exemptNamespaces: ['platform'] }, 'platform'],
    ['is the installation’s own', { namespace: 'gatehouse-system' }, 'gatehouse-system'],
    ['is the cluster’s', {}, 'kube-system'],
  ])('is asked about it also where its namespace %s', (_, installation, namespace) => {
    const podBootstrap = { configMap: { namespace } };
    const settings = settingsFixed({ installation, podBootstrap }).current();
    const [configuration] = webhookManifests(
      planOf({ definitions: [checkBootstrapDocument], settings }),
    );
    expect(configuration).toMatchObject({ webhooks: [{ failurePolicy: 'Fail' }] });
    expect(JSON.stringify(configuration)).not.toContain('namespaceSelector');
  });

  it('may be installed beside other workloads, since it leaves out no namespace', () => {
    const settings = settingsFixed({ installation: { namespace: 'kyma-system' } }).current();
    const plan = planOf({ definitions: [checkBootstrapDocument], settings });
    expect(refusalOf(plan)).toBeUndefined();
  });
});
