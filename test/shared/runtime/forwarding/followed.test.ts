import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '#events/forwarder/followed.ts';
import bootstrapPod from '#functions/pod-bootstrap/bootstrap-pod.ts';
import followBootstrapDocument from '#functions/pod-bootstrap/follow-bootstrap-document.ts';
import replicatePullSecret from '#functions/pod-bootstrap/replicate-pull-secret.ts';
import { forwarderManifests } from '#infra/deploy/queue-roles.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { type Definition, defineReconcile, type Watch } from '#shared/define.ts';
import { configMaps, namespaces, nodes, pods, secrets } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { done } from '#shared/domain/outcome.ts';
import { featureKey } from '#shared/domain/pod-bootstrap/feature.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { followedBy } from '#shared/runtime/forwarding/followed.ts';
import { openRegistry } from '#shared/runtime/registry.ts';
import { planOf } from '#test/infra/deploy/samples.ts';

const settings = settingsFixed({
  capabilities: ['pod-bootstrap'],
  podBootstrap: {
    configMap: { namespace: 'platform', name: 'pods' },
    pullSecret: { namespace: 'home', name: 'platform' },
  },
}).current();

function followed(...definitions: readonly Definition[]) {
  return followedIn(settings, ...definitions);
}

function followedIn(settings: Settings, ...definitions: readonly Definition[]) {
  const opened = openRegistry(
    definitions.map((exported) => ({
      file: `functions/pod-bootstrap/${exported.name}.ts`,
      origin: 'built-in',
      exported,
    })),
  );
  if (!opened.ok) throw new Error(opened.problems.map(({ why }) => why).join());
  return followedBy(opened.registry, settings);
}

describe('what is followed for pod bootstrap', () => {
  it('is one ConfigMap where the settings say it is, and the bundles, for whoever reads them', () => {
    expect(followed(bootstrapPod).map(({ scope }) => scopeName(scope))).toEqual([
      'clustertrustbundles.certificates.k8s.io',
      'configmaps/platform?metadata.name=pods',
      'namespaces',
    ]);
  });

  it('wakes who watches a place that the settings name, by the one loop that reads it', () => {
    const maps = followed(bootstrapPod, followBootstrapDocument).filter(
      ({ scope }) => scope.kind.resource === 'configmaps',
    );
    expect(maps).toMatchObject([
      {
        scope: { namespace: 'platform', fields: 'metadata.name=pods' },
        subscriptions: [{ function: 'follow-bootstrap-document', watch: { name: 'pods' } }],
      },
    ]);
  });

  it('is the Secrets of one name in all namespaces, by their metadata alone', () => {
    const found = followed(replicatePullSecret).find(({ scope }) => scope.kind === secrets);
    expect(found).toMatchObject({
      scope: { fields: 'metadata.name=platform', metadataOnly: true },
      subscriptions: [
        { watch: { namespace: 'home', name: 'platform', wakes: { all: namespaces } } },
        { watch: { name: 'platform' } },
      ],
    });
    expect(found?.scope).not.toHaveProperty('namespace');
  });

  it('is another trigger with another value of a setting that a watch names', () => {
    const marks = (podBootstrap: Partly<Settings>['podBootstrap']) => {
      const settings = settingsFixed({ capabilities: ['pod-bootstrap'], podBootstrap }).current();
      const [found] = followedIn(settings, replicatePullSecret).filter(
        ({ scope }) => scope.kind === namespaces,
      );
      return fingerprintOf(found?.subscriptions ?? []);
    };
    const document = { availableFeatures: [featureKey('add-img-pull-secret')] };
    expect(marks({})).toBe(marks({ landscape: 'NS2' }));
    expect(marks({})).not.toBe(marks({ document }));
    expect(marks({})).not.toBe(marks({ pullSecret: { foreign: 'leave' } }));
  });

  it('is what the forwarder’s role lets it watch, and no other ConfigMap', () => {
    const definitions = [bootstrapPod, followBootstrapDocument] as readonly Definition[];
    const manifests = forwarderManifests(planOf({ definitions, settings }), 'postgres');
    const rules = rulesIn(manifests);
    expect(rules.filter(({ resources }) => String(resources) === 'configmaps')).toMatchObject([
      {
        kind: 'Role',
        namespace: 'platform',
        resourceNames: ['pods'],
        verbs: ['get', 'list', 'watch'],
      },
    ]);
    expect(
      rules.filter(({ resources }) => String(resources) === 'clustertrustbundles'),
    ).toMatchObject([{ kind: 'ClusterRole', verbs: ['get', 'list', 'watch'] }]);
  });
});

describe('what is followed for a fan-out', () => {
  const fanning = (...watch: readonly [Watch, ...Watch[]]) =>
    defineReconcile({
      name: 'follow-all',
      capability: 'pod-bootstrap',
      trigger: { watch },
      uses: [],
      deadlineMs: 1_000,
      handler: () => done,
    });
  const all = { all: pods } as const;
  const ownMaps: Watch = { of: configMaps, namespace: 'installation', wakes: all };
  const installation = settings.installation.namespace;

  it.each<[string, readonly [Watch, ...Watch[]], string, string | undefined]>([
    ['all of the kind', [{ of: namespaces, wakes: all }], 'pods', undefined],
    ['those of the namespace', [ownMaps], `pods/${installation}`, installation],
    [
      'those of the Namespace that is named',
      [{ of: namespaces, name: 'team-a', wakes: all }],
      'pods/team-a',
      'team-a',
    ],
    [
      'all where the kind is in no namespace',
      [{ of: configMaps, namespace: 'team-a', wakes: { all: nodes } }],
      'nodes',
      undefined,
    ],
    [
      'metadata where no more is watched',
      [
        { of: namespaces, wakes: all },
        { of: pods, metadataOnly: true },
      ],
      'pods?metadata',
      undefined,
    ],
  ])('is %s, and the role lets it be', (_, watches, scope, namespace) => {
    const definition = fanning(...watches) as Definition;
    expect(followed(definition).map((each) => scopeName(each.scope))).toContain(scope);

    const manifests = forwarderManifests(planOf({ definitions: [definition], settings }), 'sqs');
    const rights = rulesIn(manifests).filter(({ resources, verbs }) =>
      [String(resources) === scope.split(/[/?]/)[0], verbs.includes('watch')].every(Boolean),
    );
    expect(rights).toMatchObject([
      namespace === undefined ? { kind: 'ClusterRole' } : { kind: 'Role', namespace },
    ]);
    expect(rights[0]).not.toHaveProperty('resourceNames');
  });
});

function rulesIn(manifests: readonly KubeObject[]) {
  return manifests.flatMap(({ kind, metadata, rules }) =>
    Array.isArray(rules) ? rules.map((rule) => ({ kind, ...metadata, ...Object(rule) })) : [],
  );
}
