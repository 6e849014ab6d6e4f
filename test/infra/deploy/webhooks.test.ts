import { describe, expect, it } from 'vitest';
import { webhookManifests } from '#infra/deploy/webhooks.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { defineAdmission } from '#shared/define.ts';
import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { countPods, mapImages, planOf, requireDigest, stampPool, theOne } from './samples.ts';

const mutating = 'MutatingWebhookConfiguration';
const validating = 'ValidatingWebhookConfiguration';

function entriesOf({ webhooks }: KubeObject): readonly JsonObject[] {
  return Array.isArray(webhooks) ? webhooks.filter(isJsonObject) : [];
}

function entry(manifests: readonly KubeObject[], name: string): JsonObject {
  const found = manifests.flatMap(entriesOf).find((each) => each['name'] === name);
  if (found === undefined) throw new Error(`no entry ${name}`);
  return found;
}

describe('the webhook configurations', () => {
  const manifests = webhookManifests(planOf());
  const fused = entry(manifests, 'pods.mutate.gatehouse.io');

  it('ask once for pods, and fail open', () => {
    expect(entriesOf(theOne(manifests, mutating, 'gatehouse'))).toEqual([fused]);
    expect(fused).toMatchObject({
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'IfNeeded',
      matchPolicy: 'Equivalent',
      sideEffects: 'NoneOnDryRun',
      timeoutSeconds: 5,
      clientConfig: {
        service: {
          name: 'gatehouse-webhook',
          namespace: 'gatehouse-system',
          path: '/mutate/pods',
          port: 443,
        },
      },
    });
  });

  it('leave the namespaces to our process where only the first function selects them', () => {
    const mine = defineAdmission({ ...mapImages, name: 'mine', capability: 'mine' });
    const mixed = webhookManifests(planOf({ definitions: [stampPool, mine] }));

    expect(entry(mixed, 'pods.mutate.gatehouse.io')).not.toHaveProperty('namespaceSelector');
  });

  it('add what fails closed leaves out to what its function asks of a namespace', () => {
    const tier = { key: 'tier', operator: 'In', values: ['prod'] } as const;
    const fallback = { matchExpressions: [tier] };
    const trigger = {
      ...requireDigest.trigger,
      namespaceSelector: { setting: 'custom.none', fallback },
    };
    const closed = defineAdmission({ ...requireDigest, trigger });
    const { namespaceSelector } = entry(
      webhookManifests(planOf({ definitions: [closed] })),
      'require-digest.validate.gatehouse.io',
    );

    expect(namespaceSelector).toMatchObject({
      matchExpressions: [tier, { key: 'kubernetes.io/metadata.name', operator: 'NotIn' }],
    });
  });

  it('never narrow the shared entry by one function’s conditions or labels', () => {
    expect(fused).not.toHaveProperty('matchConditions');
    expect(fused).not.toHaveProperty('objectSelector');
    expect(fused).not.toHaveProperty('namespaceSelector');
  });

  it('leave the namespace selector to the API server where all share it', () => {
    const twin = defineAdmission({ ...stampPool, name: 'twin' });
    const shared = webhookManifests(planOf({ definitions: [stampPool, twin] }));

    expect(entry(shared, 'pods.mutate.gatehouse.io')).toMatchObject({
      namespaceSelector: { matchLabels: { 'operator.kyma-project.io/managed-by': 'kyma' } },
    });
  });

  it('read a selector and a failure policy from the settings', () => {
    const settings = settingsFixed({
      nodeAffinity: { namespaceSelector: { matchLabels: { pool: 'ours' } } },
      custom: { closed: 'allow-with-warning' },
    }).current();
    const configured = webhookManifests(
      planOf({ definitions: [stampPool, requireDigest], settings }),
    );

    expect(entry(configured, 'pods.mutate.gatehouse.io')).toMatchObject({
      namespaceSelector: { matchLabels: { pool: 'ours' } },
    });
    expect(entry(configured, 'require-digest.validate.gatehouse.io')).toMatchObject({
      failurePolicy: 'Ignore',
      namespaceSelector: { matchLabels: { trust: 'yes' } },
    });
  });

  it('give each validating function an entry of its own, with its policy, selectors and conditions', () => {
    const entries = entriesOf(theOne(manifests, validating, 'gatehouse'));

    expect(entries.map(({ name, failurePolicy }) => [name, failurePolicy])).toEqual([
      ['count-pods.validate.gatehouse.io', 'Ignore'],
      ['require-digest.validate.gatehouse.io', 'Fail'],
    ]);
    expect(entry(manifests, 'require-digest.validate.gatehouse.io')).toMatchObject({
      matchConditions: requireDigest.trigger.matchConditions,
      objectSelector: requireDigest.trigger.objectSelector,
      namespaceSelector: {
        matchLabels: { trust: 'yes' },
        matchExpressions: [
          {
            key: 'kubernetes.io/metadata.name',
            operator: 'NotIn',
            values: ['gatehouse-system', 'kube-node-lease', 'kube-system'],
          },
        ],
      },
    });
    expect(entries.every((each) => !('reinvocationPolicy' in each))).toBe(true);
  });

  it.each([
    ['whose condition only the API server can evaluate', mapImages, { compiles: () => false }],
    ['that fails closed', defineAdmission({ ...mapImages, onFailure: 'deny' }), {}],
    [
      'of something else than pods',
      defineAdmission({
        ...mapImages,
        trigger: { ...mapImages.trigger, group: 'apps', resources: ['deployments'] },
      }),
      {},
    ],
  ])('give a mutating function %s an entry of its own', (_, definition, changes) => {
    const split = webhookManifests(planOf({ definitions: [stampPool, definition], ...changes }));

    expect(entriesOf(theOne(split, mutating)).map(({ name }) => name)).toEqual([
      'pods.mutate.gatehouse.io',
      'map-images.mutate.gatehouse.io',
    ]);
    expect(entry(split, 'map-images.mutate.gatehouse.io')).toHaveProperty('matchConditions');
  });

  it('carry who made them, what their functions do, and no caBundle', () => {
    for (const { metadata, ...rest } of manifests) {
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'gatehouse' });
      expect(JSON.stringify(rest)).not.toContain('caBundle');
    }
    expect(theOne(manifests, mutating).metadata.annotations).toEqual({
      'function.gatehouse.io/stamp-pool': 'Puts a preference on pods.',
    });
  });
});

describe('separate webhook configurations', () => {
  const manifests = webhookManifests(planOf({ grouping: 'separate' }));

  it('keep the names, the path and the service of what a function replaces', () => {
    const upstream = theOne(manifests, mutating, 'kim-snatch-mutating-webhook-configuration');

    expect(entriesOf(upstream)).toMatchObject([
      {
        name: 'mpod-v1.kb.io',
        clientConfig: {
          service: {
            name: 'kim-snatch-webhook-service',
            namespace: 'gatehouse-system',
            path: '/mutate--v1-pod',
          },
        },
        namespaceSelector: { matchLabels: { 'operator.kyma-project.io/managed-by': 'kyma' } },
        failurePolicy: 'Ignore',
        rules: [{ operations: ['CREATE'], resources: ['pods'] }],
      },
    ]);
  });

  it('give a function that replaces nothing its own path', () => {
    expect(entriesOf(theOne(manifests, mutating, 'gatehouse'))).toMatchObject([
      {
        name: 'map-images.mutate.gatehouse.io',
        clientConfig: { service: { path: '/mutate/map-images' } },
        matchConditions: mapImages.trigger.matchConditions,
      },
    ]);
  });
});

describe('webhook configurations that call a URL', () => {
  it('name host and path, and no service', () => {
    const manifests = webhookManifests(
      planOf({
        definitions: [stampPool, countPods],
        grouping: 'alone',
        caller: { kind: 'url', host: 'api.example.com' },
      }),
    );

    expect(entry(manifests, 'stamp-pool.mutate.gatehouse.io')['clientConfig']).toEqual({
      url: 'https://api.example.com/mutate/stamp-pool',
    });
    expect(entry(manifests, 'count-pods.validate.gatehouse.io')['clientConfig']).toEqual({
      url: 'https://api.example.com/validate/count-pods',
    });
  });
});
