import { describe, expect, it } from 'vitest';
import { webhookManifests } from '#infra/deploy/webhooks.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { compileCondition } from '#shared/runtime/admission/match-condition.ts';
import { builtInDefinitions } from './built-in.ts';
import { planOf } from './samples.ts';

const mode = 'namespaces.warden.kyma-project.io/validate';
const definitions = (await builtInDefinitions()).filter(
  ({ capability }) => capability === 'image-trust',
);

/** Of image trust alone, by their names, with the configuration that they stand in. */
function entriesOf(grouping: 'fused' | 'separate', stated = {}) {
  const settings = settingsFixed({
    ...stated,
    installation: { exemptNamespaces: ['database'] },
  }).current();
  const compiles = (text: string) => compileCondition(text).ok;
  const manifests = webhookManifests(planOf({ definitions, settings, grouping, compiles }));
  const entries = manifests.flatMap(({ kind, metadata, webhooks }) =>
    (webhooks as JsonObject[]).map((hook): JsonObject => {
      return { ...hook, in: `${kind} ${metadata.name}` };
    }),
  );
  return Object.fromEntries(entries.map((entry) => [String(entry['name']), entry]));
}

const selects = (...values: string[]) => ({ key: mode, operator: 'In', values });
const exempt = {
  key: 'kubernetes.io/metadata.name',
  operator: 'NotIn',
  values: ['database', 'gatehouse-system', 'kube-node-lease', 'kube-system'],
};

describe('what is rendered of image trust', () => {
  it('is one entry that verifies and fails open, for the namespaces that are labelled', () => {
    expect(entriesOf('fused')['pods.mutate.gatehouse.io']).toMatchObject({
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'IfNeeded',
      matchPolicy: 'Equivalent',
      namespaceSelector: { matchExpressions: [selects('enabled', 'system', 'user')] },
      rules: [
        { operations: ['CREATE', 'UPDATE'], resources: ['pods', 'pods/ephemeralcontainers'] },
      ],
    });
  });

  it.each<[string, readonly string[]]>([
    ['require-trusted-images', ['enabled', 'system']],
    ['require-user-images', ['user']],
  ])('is an entry of its own that refuses and fails closed: %s', (name, values) => {
    expect(entriesOf('fused')[`${name}.validate.gatehouse.io`]).toMatchObject({
      in: 'ValidatingWebhookConfiguration gatehouse',
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: { matchExpressions: [selects(...values), exempt] },
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          resources: ['pods', 'pods/ephemeralcontainers', 'pods/resize'],
        },
      ],
      matchConditions: [{ name: 'is-not-being-deleted' }, { name: 'brings-an-image' }],
    });
  });

  it('lets users’ pods through where the operator says so, and nobody else’s', () => {
    const entries = entriesOf('fused', { imageTrust: { userOnFailure: 'allow-with-warning' } });
    const policyOf = (name: string) => entries[`${name}.validate.gatehouse.io`]?.['failurePolicy'];
    expect(policyOf('require-user-images')).toBe('Ignore');
    expect(policyOf('require-trusted-images')).toBe('Fail');
  });

  it('warns of namespaces that are labelled, and keeps nobody from writing one', () => {
    expect(entriesOf('fused')['check-namespace-trust.validate.gatehouse.io']).toMatchObject({
      failurePolicy: 'Ignore',
      objectSelector: { matchExpressions: [{ key: mode, operator: 'Exists' }] },
      rules: [{ resources: ['namespaces'] }],
    });
  });

  it('has upstream’s names where it replaces it alone, and its path where nobody else answers', () => {
    const entries = entriesOf('separate');
    const service = { name: 'warden-admission', port: 443 };
    expect(entries['defaulting.webhook.warden.kyma-project.io']).toMatchObject({
      in: 'MutatingWebhookConfiguration defaulting.webhook.warden.kyma-project.io',
      clientConfig: { service: { ...service, path: '/defaulting/pods' } },
    });
    const validating = 'validation.webhook.warden.kyma-project.io';
    for (const [name, path] of [
      [validating, '/validate/require-trusted-images'],
      [`user.${validating}`, '/validate/require-user-images'],
    ] as const) {
      expect(entries[name]).toMatchObject({
        in: `ValidatingWebhookConfiguration ${validating}`,
        clientConfig: { service: { ...service, path } },
      });
    }
  });
});
