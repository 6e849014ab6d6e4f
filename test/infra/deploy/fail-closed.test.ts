import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exemptNamespaces, isDedicated, refusalOf } from '#infra/deploy/fail-closed.ts';
import { webhookManifests } from '#infra/deploy/webhooks.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { defineAdmission } from '#shared/define.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { type LabelSelector, matchesLabels } from '#shared/domain/selector.ts';
import { countPods, planOf, requireDigest, stampPool } from './samples.ts';

const settingsIn = (namespace: string, exempt: string[] = [], custom = {}) =>
  settingsFixed({ installation: { namespace, exemptNamespaces: exempt }, custom }).current();

describe('a namespace', () => {
  it.each([
    ['gatehouse-system', true],
    ['gatehouse', true],
    ['team-a-gatehouse', true],
    ['default', false],
    ['kyma-system', false],
    ['kube-gatehouse', false],
    ['security', false],
    ['gatehouses', false],
    ['', false],
  ])('%j is Gatehouse’s alone: %s', (namespace, expected) => {
    expect(isDedicated(namespace)).toBe(expected);
  });
});

describe('an installation with a function that fails closed', () => {
  it.each([
    ['kyma-system', 'kyma-system holds other workloads'],
    ['security', "nothing says that security is Gatehouse's alone"],
  ])('is refused in %s, with the reason', (namespace, reason) => {
    const { why, mend } = refusalOf(planOf({ settings: settingsIn(namespace) })) ?? {};

    expect(why).toContain(`require-digest would fail closed in ${namespace}`);
    expect(why).toContain(reason);
    expect(mend).toContain('gatehouse-system');
  });

  it('is taken in a namespace of its own', () => {
    expect(refusalOf(planOf())).toBeUndefined();
  });

  it('is taken anywhere once the configuration lets it fail open', () => {
    const settings = settingsIn('kyma-system', [], { closed: 'allow-with-warning' });

    expect(refusalOf(planOf({ settings }))).toBeUndefined();
  });

  it('is not what one without such a function is', () => {
    const definitions = [stampPool, countPods];

    expect(refusalOf(planOf({ definitions, settings: settingsIn('kyma-system') }))).toBeUndefined();
  });

  it('says which setting holds neither of the two answers', () => {
    const settings = settingsIn('gatehouse-system', [], { closed: 'maybe' });

    expect(() => refusalOf(planOf({ settings }))).toThrow(
      '$.custom.closed: expected one of deny, allow-with-warning (what require-digest does on failure), found "maybe"',
    );
  });
});

type Webhook = {
  readonly name: string;
  readonly failurePolicy: string;
  readonly namespaceSelector?: LabelSelector;
};

/** What the API server reads out of the manifests. */
function webhooksIn(manifests: readonly KubeObject[]): readonly Webhook[] {
  return manifests.flatMap(({ webhooks }) => JSON.parse(JSON.stringify(webhooks)));
}

const name = fc.stringMatching(/^[a-z]{1,8}$/);
const requirement = fc.oneof(
  fc.record({
    key: fc.constantFrom('kubernetes.io/metadata.name', 'team'),
    operator: fc.constantFrom('In' as const, 'NotIn' as const),
    values: fc.array(fc.oneof(name, fc.constant('kube-system')), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    key: fc.constant('team'),
    operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const),
  }),
);
const selector = fc.record(
  {
    matchLabels: fc.dictionary(fc.constantFrom('team', 'tier'), name),
    matchExpressions: fc.array(requirement, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

describe('an entry that fails closed', () => {
  it('never matches an exempt namespace, whatever its function selects and the namespace is labelled', () => {
    fc.assert(
      fc.property(
        fc.record({
          selector: fc.option(selector, { nil: undefined }),
          configured: fc.array(name),
          labels: fc.dictionary(fc.constantFrom('team', 'tier'), name),
          grouping: fc.constantFrom('fused' as const, 'separate' as const, 'alone' as const),
          phase: fc.constantFrom('mutate' as const, 'validate' as const),
        }),
        ({ selector: fallback, configured, labels, grouping, phase }) => {
          const { namespaceSelector: _, ...trigger } = requireDigest.trigger;
          const closed = defineAdmission({
            ...requireDigest,
            phase,
            onFailure: 'deny',
            trigger:
              fallback === undefined
                ? trigger
                : { ...trigger, namespaceSelector: { setting: 'custom.none', fallback } },
          });
          const settings = settingsIn('gatehouse-system', configured);
          const [entry] = webhooksIn(
            webhookManifests(planOf({ definitions: [closed], settings, grouping })),
          );

          expect(entry?.failurePolicy).toBe('Fail');
          for (const namespace of [
            ...exemptNamespaces(settings),
            'kube-system',
            'kube-node-lease',
            'gatehouse-system',
            ...configured,
          ]) {
            const itsLabels = { ...labels, 'kubernetes.io/metadata.name': namespace };
            expect(matchesLabels(entry?.namespaceSelector ?? {}, itsLabels)).toBe(false);
          }
        },
      ),
    );
  });

  it('still matches the others that its function selects', () => {
    const [entry] = webhooksIn(webhookManifests(planOf({ definitions: [requireDigest] })));
    const labels = { trust: 'yes', 'kubernetes.io/metadata.name': 'team-a' };

    expect(matchesLabels(entry?.namespaceSelector ?? {}, labels)).toBe(true);
  });
});
