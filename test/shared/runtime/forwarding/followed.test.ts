import { describe, expect, it } from 'vitest';
import bootstrapPod from '#functions/pod-bootstrap/bootstrap-pod.ts';
import followBootstrapDocument from '#functions/pod-bootstrap/follow-bootstrap-document.ts';
import { forwarderManifests } from '#infra/deploy/queue-roles.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Definition } from '#shared/define.ts';
import { scopeName } from '#shared/domain/watched.ts';
import { followedBy } from '#shared/runtime/forwarding/followed.ts';
import { openRegistry } from '#shared/runtime/registry.ts';
import { planOf } from '#test/infra/deploy/samples.ts';

const settings = settingsFixed({
  capabilities: ['pod-bootstrap'],
  podBootstrap: { configMap: { namespace: 'platform', name: 'pods' } },
}).current();

function followed(...definitions: readonly Definition[]) {
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

  it('is what the forwarder’s role lets it watch, and no other ConfigMap', () => {
    const definitions = [bootstrapPod, followBootstrapDocument] as readonly Definition[];
    const manifests = forwarderManifests(planOf({ definitions, settings }), 'postgres');
    const rules = manifests.flatMap(({ kind, metadata, rules }) =>
      Array.isArray(rules) ? rules.map((rule) => ({ kind, ...metadata, ...Object(rule) })) : [],
    );
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
