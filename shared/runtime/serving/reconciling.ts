import type { Definition, ReconcileFunction } from '#shared/define.ts';
import type { Registry } from '../registry.ts';
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

/**
 * On SQS those of certificates have no queue: on AWS they are somebody else's, and where a front of ours needs one, their
 * periods turn in its process.
 */
export function isQueued({ capability }: Definition, { queue }: Pick<House, 'queue'>): boolean {
  return queue.kind !== 'sqs' || capability !== 'certificates';
}

/** As far as messages wake what is in it. */
export function queuedOf(house: Pick<House, 'registry' | 'queue'>): Registry {
  const { registry } = house;
  const isWoken = (definition: Definition): boolean => isQueued(definition, house);
  return {
    ...registry,
    get definitions() {
      return registry.definitions.filter(isWoken);
    },
  };
}

/** Those that messages wake and that are switched on now. Without a cluster there is nothing to reconcile: not an error, run after run. */
export function enabledReconcilers(house: House): readonly ReconcileFunction[] {
  const settings = house.config.current();
  return reconcilersOf(house).filter(
    (each) => isQueued(each, house) && house.registry.isEnabled(each, settings),
  );
}

function isReconcile(definition: Definition): definition is ReconcileFunction {
  return definition.shape === 'reconcile';
}
