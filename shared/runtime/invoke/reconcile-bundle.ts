import type { ReconcileFunction } from '#shared/define.ts';
import { once } from '../once.ts';
import { runMessage } from '../reconcile.ts';
import { type Bundle, bundleOf } from './bundle.ts';
import { type Door, eventApp } from './event-app.ts';
import { faasEvents } from './faas.ts';
import { sqsBatch } from './sqs-batch.ts';
import type { Stage } from './stage.ts';

export function reconcileBundle(definition: ReconcileFunction): Bundle {
  return bundleOf({
    isAdmission: false,
    join(stage) {
      const door = doorOf(definition, stage);
      const handler = sqsBatch(door, upkeepOf(definition, stage));
      return { app: eventApp(door), handler, handle: faasEvents(door) };
    },
  });
}

/** Without a database there is no schedule either. */
function upkeepOf({ name }: ReconcileFunction, { environment, database }: Stage) {
  if (environment.databaseUrl === undefined) return undefined;
  return once(async () => {
    const { openUpkeep } = await import('./open-upkeep.ts');
    return openUpkeep(await database(), name);
  }).get;
}

function doorOf(definition: ReconcileFunction, { log, portsOf, livePortsOf }: Stage): Door {
  const ports = portsOf(definition);
  const live = () => livePortsOf(definition);
  return {
    name: definition.name,
    log,
    invoke: (message, limits) => runMessage(definition, message, { ports, live, log, ...limits }),
  };
}
