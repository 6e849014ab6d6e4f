import type { KnownMigration } from '#shared/adapters/database/schema.ts';
import type { ReconcileFunction } from '#shared/define.ts';
import { once } from '../once.ts';
import { runMessage } from '../reconcile.ts';
import { type Bundle, bundleOf } from './bundle.ts';
import { type Door, eventApp } from './event-app.ts';
import { faasEvents } from './faas.ts';
import { sqsBatch } from './sqs-batch.ts';
import type { Means } from './sqs-ending.ts';
import type { Stage } from './stage.ts';

export function reconcileBundle(
  definition: ReconcileFunction,
  schema: readonly KnownMigration[],
): Bundle {
  return bundleOf({
    definition,
    schema,
    join(stage) {
      const door = doorOf(definition, stage);
      const handler = sqsBatch(door, meansOf(definition, stage));
      return { app: eventApp(door), handler, handle: faasEvents(door) };
    },
  });
}

function meansOf(definition: ReconcileFunction, stage: Stage): Means {
  const openOrigin = once(async () => {
    const opening = await import('./open-origin.ts');
    return opening.openOrigin(definition.name);
  }).get;
  return { openUpkeep: upkeepOf(definition, stage), openOrigin };
}

/** Without a database there is no schedule either. */
function upkeepOf(definition: ReconcileFunction, { environment, database }: Stage) {
  if (environment.databaseUrl === undefined) return undefined;
  return once(async () => {
    const { openUpkeep } = await import('./open-upkeep.ts');
    return openUpkeep(await database(), definition);
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
