import type { Definition, ReconcileFunction } from '#shared/define.ts';
import type { House } from './house.ts';

const ofTheCluster: readonly string[] = [
  'cluster',
  'nodes',
  'namespaces',
  'bootstrapDocument',
  'events',
];

/** Those that could run here, switched on or not. */
export function reconcilersOf({ registry, login }: House): readonly ReconcileFunction[] {
  return registry.definitions
    .filter(isReconcile)
    .filter(({ uses }) => login !== undefined || !uses.some((port) => ofTheCluster.includes(port)));
}

/** Those that are switched on now. Without a cluster there is nothing to reconcile: not an error, run after run. */
export function enabledReconcilers(house: House): readonly ReconcileFunction[] {
  const settings = house.config.current();
  return reconcilersOf(house).filter((each) => house.registry.isEnabled(each, settings));
}

function isReconcile(definition: Definition): definition is ReconcileFunction {
  return definition.shape === 'reconcile';
}
