import { done, later, type Outcome } from '#shared/domain/outcome.ts';
import { outcomeOf } from '../frame/api.ts';
import { type Controller, targetOf, type World, wake } from '../frame/controller.ts';
import { writeStatus } from '../frame/write-status.ts';
import { namespaces, pods } from '../shapes/kinds.ts';
import { placeOf } from '../shapes/meta.ts';
import type { Namespace } from '../shapes/surroundings.ts';
import { emptyNamespace } from './empty-namespace.ts';
import {
  endingConditions,
  isEmptied,
  isEnding,
  kubernetes,
  type Remains,
} from './namespace-life.ts';

/** While others hold what is left, it is looked at again ever more seldom. */
const leastSeconds = 0.05;
const mostSeconds = 5;

/** Empties namespaces that are being deleted, and then lets them go. */
export function namespaceController(): Controller {
  const looks = new Map<string, number>();
  return {
    name: 'namespaces',
    workers: 4,
    wakes: [
      wake(namespaces, (namespace) => (isEnding(namespace) ? [placeOf(namespace)] : [])),
      wake(pods, ({ metadata }, world) => {
        const place = `/${metadata.namespace ?? ''}`;
        const namespace = world.shelf(namespaces).find(place);
        return namespace !== undefined && isEnding(namespace) ? [place] : [];
      }),
    ],
    settleMs: 5,
    async reconcile(place, world) {
      const namespace = world.shelf(namespaces).find(place);
      if (namespace === undefined || !isEnding(namespace)) {
        looks.delete(place);
        return done;
      }
      const remains = await emptyNamespace(namespace.metadata.name, world);
      if (isEmptied(remains)) return finalize(namespace, world);
      const told = await tell(namespace, remains, world);
      if (told.kind !== 'done') return told;
      const times = looks.get(place) ?? 0;
      looks.set(place, times + 1);
      return later(Math.min(leastSeconds * 2 ** times, mostSeconds));
    },
  };
}

async function tell(namespace: Namespace, remains: Remains, world: World): Promise<Outcome> {
  const conditions = endingConditions(namespace, remains, world.now());
  const status = { phase: 'Terminating', conditions };
  return writeStatus(world, { kind: namespaces, object: namespace, status });
}

async function finalize(namespace: Namespace, world: World): Promise<Outcome> {
  const target = targetOf(namespaces, namespace, 'finalize');
  const finalizers = (namespace.spec?.finalizers ?? []).filter((each) => each !== kubernetes);
  const body = { ...namespace, spec: { ...namespace.spec, finalizers } };
  return outcomeOf(await world.api.replace(target, body));
}
