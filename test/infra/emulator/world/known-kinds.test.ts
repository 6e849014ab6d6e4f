import { expect, it } from 'vitest';
import { idOf, knownKinds } from '#infra/emulator/world/known-kinds.ts';

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
