import { expect, it } from 'vitest';
import { definedBy, idOf, knownKinds, nicknamesIn } from '#infra/emulator/world/known-kinds.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';

it.each([
  ['Pod', 'pods'],
  ['pods', 'pods'],
  ['pod', 'pods'],
  ['po', 'pods'],
  ['cm', 'configmaps'],
  ['no', 'nodes'],
  ['ConfigMap', 'configmaps'],
  ['networkpolicy', 'networkpolicies.networking.k8s.io'],
  ['deploy', 'deployments.apps'],
  ['deployment', 'deployments.apps'],
  ['deployments.apps', 'deployments.apps'],
  ['deployments.batch', undefined],
  ['Pots', undefined],
  ['constructor', undefined],
])('%s is called as kubectl would call it', (name, meant) => {
  const kind = knownKinds([]).named(name);
  expect(kind && idOf(kind)).toBe(meant);
});

it('a custom kind is called by all the names that its definition gives it', () => {
  const names = { kind: 'Color', plural: 'colors', singular: 'hue', shortNames: ['col', 'po'] };
  const definition: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'colors.example.com' },
    spec: { group: 'example.com', scope: 'Cluster', names, versions: [{ name: 'v1' }] },
  };
  const kinds = knownKinds([]);
  const defined = definedBy(definition);
  if (defined !== undefined) kinds.add(defined, nicknamesIn(definition));
  for (const name of ['Color', 'color', 'colors', 'hue', 'col', 'colors.example.com']) {
    expect(kinds.named(name)).toEqual(defined);
  }
  expect(kinds.named('po')?.kind).toBe('Pod');
});
