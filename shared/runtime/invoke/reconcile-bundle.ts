import type { ReconcileFunction } from '#shared/define.ts';
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
      return { app: eventApp(door), handler: sqsBatch(door), handle: faasEvents(door) };
    },
  });
}

function doorOf(definition: ReconcileFunction, { log, portsOf }: Stage): Door {
  const ports = portsOf(definition);
  return {
    name: definition.name,
    log,
    invoke: (message, limits) => runMessage(definition, message, { ports, log, ...limits }),
  };
}
